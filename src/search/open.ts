import { Memory } from '../engine/wasm/memory.ts';
import { compileKernels, instantiate } from './module.ts';
import { type StartThread, Threads } from './threads.ts';

export interface ThreadOptions {
  /** How many threads share the work, the calling one included. Default 1. Results do not depend on it. */
  readonly threads?: number;
  /** How threads are started; without it there is one. `pc-ae/node` has it for Node. */
  readonly start?: StartThread;
}

/** The kernels of this room with a memory of their own, and the threads that share their work. */
export async function openKernels({ threads = 1, start }: ThreadOptions): Promise<OpenKernels> {
  if (!(Number.isInteger(threads) && threads >= 1)) {
    throw new RangeError(`threads: found ${threads}, expected a whole number, 1 or more`);
  }
  const module = await compileKernels();
  const memory = new Memory();
  const kernels = await instantiate(module, memory.memory);
  const pool = new Threads(kernels, start ? threads : 1, (thread) =>
    start!({ module, memory: memory.memory, thread }),
  );
  return { memory, threads: pool };
}

interface OpenKernels {
  readonly memory: Memory;
  readonly threads: Threads;
}

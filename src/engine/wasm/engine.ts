import type { Engine } from '../engine.ts';
import { Memory } from './memory.ts';
import { type Build, compileKernels, hasRelaxedSimd, hasSimd, instantiate } from './module.ts';
import { WasmEngine } from './operations.ts';
import { Pool } from './pool.ts';
import { Tools } from './tools.ts';
import { browserSpawn, type Spawn } from './worker.ts';

export { hasRelaxedSimd } from './module.ts';

export interface WasmEngineOptions {
  /** How many threads share the work, the calling one included. Default 1. Results do not depend on it. */
  readonly threads?: number;
  /** Relaxed multiply-add, about 1.5 times as fast: 'auto' (the default) uses it where the host has it. */
  readonly relaxed?: 'auto' | boolean;
  /**
   * How threads are started. Default: Web Workers where the page is cross-origin isolated, else one thread.
   */
  readonly spawn?: Spawn;
  /** The maximum size of the engine's memory, in bytes. Default: 4 GiB. */
  readonly memory?: number;
}

/** The WebAssembly engine. The same code runs in Node and in browsers. */
export async function createWasmEngine(options: WasmEngineOptions = {}): Promise<Engine> {
  if (!hasSimd()) {
    throw new Error('engine: this host has no WebAssembly SIMD; use referenceEngine() or a newer host');
  }
  const { relaxed = 'auto', threads = 1 } = options;
  if (!(Number.isInteger(threads) && threads >= 1)) {
    throw new Error(`engine: threads is ${threads}; expected a whole number, 1 or more`);
  }
  if (relaxed === true && !hasRelaxedSimd()) {
    throw new Error(
      "engine: this host has no relaxed SIMD; leave `relaxed` at 'auto'. Node 20 has it after " +
        'enableRelaxedSimd(), called before the first engine is made',
    );
  }
  const build: Build = (relaxed === 'auto' ? hasRelaxedSimd() : relaxed) ? 'relaxed' : 'simd';
  const module = await compileKernels(build);
  const memory = new Memory(options.memory);
  const kernels = await instantiate(module, memory.memory);
  const spawn = threads > 1 ? (options.spawn ?? browserSpawn()) : undefined;
  const pool = new Pool(kernels, module, memory, threads, spawn);
  return new WasmEngine(`wasm (${build})`, kernels, new Tools(memory, pool));
}

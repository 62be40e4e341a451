import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Engine } from '../engine.ts';
import { createWasmEngine, hasRelaxedSimd } from '../wasm/engine.ts';
import { type Spawn, workerProgram } from '../wasm/worker.ts';
import { usualThreads } from './threads.ts';

export interface NodeEngineOptions {
  /** Default: the number of cores, 8 at most. */
  readonly threads?: number;
  readonly relaxed?: 'auto' | boolean;
  /** The maximum size of the engine's memory, in bytes. */
  readonly memory?: number;
}

/** The WebAssembly engine on the threads of Node. They never keep the process alive. */
export function createEngine(options: NodeEngineOptions = {}): Promise<Engine> {
  const threads = options.threads ?? usualThreads();
  return createWasmEngine({ ...options, threads, spawn });
}

/**
 * Switches relaxed SIMD on for this process, if Node has it behind a flag (Node 20). Call it before the first
 * engine is created. It changes the whole process, so the library leaves the choice to the program.
 */
export function enableRelaxedSimd(): boolean {
  if (!hasRelaxedSimd()) setFlagsFromString('--experimental-wasm-relaxed-simd');
  return hasRelaxedSimd();
}

const spawn: Spawn = (task) => {
  const program = `${workerProgram}
    const { parentPort, workerData } = require('node:worker_threads');
    serve(workerData, () => parentPort.postMessage('ready'));`;
  // No options of the parent's: `node --input-type=module` would make a module of the program.
  const worker = new Worker(program, { eval: true, workerData: task, execArgv: [] });
  const ready = new Promise<void>((resolve) => {
    worker.once('message', () => {
      worker.unref();
      resolve();
    });
  });
  const failed = new Promise<Error>((resolve) => {
    const died = (why: string) => resolve(new Error(`engine: thread ${task.thread} died: ${why}`));
    worker.once('error', (error: unknown) => died(error instanceof Error ? error.message : String(error)));
    worker.once('exit', (code) => died(`it ended with code ${code}`));
  });
  return {
    ready,
    failed,
    terminate: async () => {
      // A 'ready' that arrives late would unref the worker while its end is awaited, and the process could
      // end first.
      worker.removeAllListeners('message');
      worker.ref();
      await worker.terminate();
    },
  };
};

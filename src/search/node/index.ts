import { Worker } from 'node:worker_threads';
import type { PackedCodes } from '../../bits/pack.ts';
import { usualThreads } from '../../engine/node/threads.ts';
import { type CodeScores, openScores as openScoresAnywhere } from '../scores.ts';
import { type CodeSearch, openSearch as openAnywhere } from '../search.ts';
import type { StartThread } from '../threads.ts';

/** Exact search on Node's threads: by default one per core, 8 at most. They do not keep the process alive. */
export function openSearch(
  codes: PackedCodes,
  options: { readonly threads?: number } = {},
): Promise<CodeSearch> {
  const { threads = usualThreads() } = options;
  return openAnywhere(codes, { threads, start: startThread });
}

/** Exact search by cost, on as many threads. */
export function openScores(
  codes: PackedCodes,
  constants: Float32Array,
  options: { readonly threads?: number } = {},
): Promise<CodeScores> {
  const { threads = usualThreads() } = options;
  return openScoresAnywhere(codes, constants, { threads, start: startThread });
}

const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { module, memory, thread } = workerData;
  const { work } = new WebAssembly.Instance(module, { env: { memory } }).exports;
  parentPort.on('message', (job) => {
    work(job, thread);
    parentPort.postMessage(0);
  });`;

export const startThread: StartThread = (task) => {
  // No options of the parent's: `node --input-type=module` would make a module of the program.
  const worker = new Worker(PROGRAM, { eval: true, workerData: task, execArgv: [] });
  const died = new Promise<never>((_, reject) => {
    const fail = (why: string) => reject(new Error(`search: thread ${task.thread} died: ${why}`));
    worker.once('error', (error: unknown) => fail(error instanceof Error ? error.message : String(error)));
    worker.once('exit', (code) => fail(`it ended with code ${code}`));
  });
  died.catch(() => undefined);
  worker.unref();
  return {
    async run(job) {
      const done = new Promise<void>((resolve) => worker.once('message', () => resolve()));
      worker.ref();
      worker.postMessage(job);
      await Promise.race([done, died]);
      worker.unref();
    },
    async close() {
      worker.ref();
      await worker.terminate();
    },
  };
};

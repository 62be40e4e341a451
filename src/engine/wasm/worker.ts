/**
 * The other threads. A worker only instantiates the kernels on the shared memory and takes units of jobs; its
 * program is a string, so that it needs no file of its own, in a bundle or in a test.
 */

/** Words of the control block that threads share. */
export const words = {
  /** Goes up by one with each job. */
  sequence: 0,
  /** Workers that are not through with the job yet. */
  running: 1,
  job: 2,
  stop: 3,
  count: 16,
} as const;

interface WorkerTask {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Address of the control block. */
  readonly control: number;
  readonly thread: number;
}

export interface WorkerHandle {
  /** Settles once the worker waits for jobs. */
  readonly ready: Promise<void>;
  /** Settles, with the reason, when the worker has died; never otherwise. */
  readonly failed: Promise<Error>;
  terminate(): Promise<void>;
}

/** Starts a worker that runs `workerProgram` on the task. */
export type Spawn = (task: WorkerTask) => WorkerHandle;

/** `serve(task, ready)`: loops until the pool stops it. */
export const workerProgram = `
function serve({ module, memory, control, thread }, ready) {
  const word = () => new Int32Array(memory.buffer, control, ${words.count});
  const kernels = new WebAssembly.Instance(module, { env: { memory } }).exports;
  // Memory that grew while this thread started may have an instance here that does not know of it (seen in
  // V8, once in a hundred starts under load), and its fills and copies would trap. Growing by nothing brings
  // it up to date.
  memory.grow(0);
  let seen = Atomics.load(word(), ${words.sequence});
  ready();
  for (;;) {
    Atomics.wait(word(), ${words.sequence}, seen);
    const now = Atomics.load(word(), ${words.sequence});
    if (now === seen) continue;
    seen = now;
    if (Atomics.load(word(), ${words.stop})) return;
    kernels.work(Atomics.load(word(), ${words.job}), thread, 0x7fffffff);
    if (Atomics.sub(word(), ${words.running}, 1) === 1) Atomics.notify(word(), ${words.running});
  }
}
`;

/** Web Workers, in a page that is cross-origin isolated; undefined where there are none. */
export function browserSpawn(): Spawn | undefined {
  if (typeof Worker !== 'function' || !globalThis.crossOriginIsolated) return undefined;
  const program = `${workerProgram}
    onmessage = ({ data }) => { serve(data, () => postMessage('ready')); close(); };`;
  return (task) => {
    const url = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
    const worker = new Worker(url);
    const ready = new Promise<void>((resolve) => {
      worker.onmessage = () => {
        URL.revokeObjectURL(url);
        resolve();
      };
    });
    const failed = new Promise<Error>((resolve) => {
      worker.onerror = (event) => resolve(new Error(`engine: thread ${task.thread} died: ${event.message}`));
    });
    worker.postMessage(task);
    return { ready, failed, terminate: async () => worker.terminate() };
  };
}

/** Files, folders and standard input. */
export { type AtomicFile, atomicFile, writeAtomic } from './atomic.ts';
export { fileBytes } from './file.ts';
export { openSource } from './open.ts';
export { stdinBytes } from './stdin.ts';

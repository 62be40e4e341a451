import { kernels } from './binary.generated.ts';

/** What the kernels export; see src/kernels/search/index.ts. */
export interface Kernels {
  /** Takes units of the job at an address until none is left. */
  work(job: number, thread: number): void;
}

export function compileKernels(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(Uint8Array.from(atob(kernels), (character) => character.charCodeAt(0)));
}

export async function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<Kernels> {
  const instance = await WebAssembly.instantiate(module, { env: { memory } });
  return instance.exports as unknown as Kernels;
}

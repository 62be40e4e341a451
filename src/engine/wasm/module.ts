/** What the kernels export; see src/kernels/index.ts. Addresses are bytes in the shared memory. */
export interface Kernels {
  /** Takes at most `limit` units of the job; whether there may be more. */
  work(job: number, thread: number, limit: number): number;
  scratchBytes(job: number): number;
  adam(
    at: number,
    gradient: number,
    first: number,
    second: number,
    rows: number,
    width: number,
    free: number,
    scale: number,
    ridge: number,
    prices: number,
    beta1: number,
    beta2: number,
    rate: number,
    correctFirst: number,
    correctSecond: number,
    epsilon: number,
  ): void;
}

export type Build = 'simd' | 'relaxed';

/** The compiled kernels, in the build asked for: a page loads that one alone. */
export async function compileKernels(build: Build): Promise<WebAssembly.Module> {
  const { kernels } = await (build === 'relaxed'
    ? import('./relaxed.generated.ts')
    : import('./simd.generated.ts'));
  return WebAssembly.compile(await unpacked(kernels));
}

export async function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<Kernels> {
  const instance = await WebAssembly.instantiate(module, { env: { memory } });
  return instance.exports as unknown as Kernels;
}

/** Whether this host compiles relaxed multiply-add: asked by validating a function that consists of one. */
export function hasRelaxedSimd(): boolean {
  return WebAssembly.validate(
    Uint8Array.from([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...[1, 5, 1, 0x60, 0, 1, 0x7b], // type: () -> v128
      ...[3, 2, 1, 0], // one function of it
      ...[10, 19, 1, 17, 0, 0x41, 0, 0xfd, 17, 0x41, 0, 0xfd, 17, 0x41, 0, 0xfd, 17, 0xfd, 0x85, 2, 0x0b],
    ]),
  );
}

/** Whether this host runs the kernels at all. */
export function hasSimd(): boolean {
  return (
    typeof WebAssembly === 'object' &&
    WebAssembly.validate(
      Uint8Array.from([
        ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
        ...[1, 5, 1, 0x60, 0, 1, 0x7b],
        ...[3, 2, 1, 0],
        ...[10, 8, 1, 6, 0, 0x41, 0, 0xfd, 17, 0x0b],
      ]),
    )
  );
}

/**
 * The bytes that were compressed and written as text when the kernels were built. A Response would gather
 * them in one line, but in Node it loads a WebAssembly module of its own, for which memory may not suffice.
 */
async function unpacked(base64: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
  return new Blob(parts).arrayBuffer();
}

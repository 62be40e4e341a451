import type { Engine } from 'pc-ae';
import { createWasmEngine } from 'pc-ae/engine';

/** An engine of so many threads; of one where the page is not isolated. Results do not depend on it. */
export function threadsEngine(threads: number): Promise<Engine> {
  return createWasmEngine({ threads: globalThis.crossOriginIsolated ? Math.max(1, threads) : 1 });
}

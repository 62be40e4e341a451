import type { Engine, Loss } from 'pc-ae';
import type { Rows } from 'pc-ae/rows';
import { threadsEngine } from '../engine.ts';
import type { LearnSettings } from './calls.ts';

/**
 * The engine of a run. By itself it takes the graphics card where there is a real one, the card does all that is asked
 * for, and the rows are enough to be worth its start; it never takes a program that pretends to be one.
 */
export async function engineFor(
  { n, V }: Rows,
  { encoding, H, engine }: LearnSettings,
  loss: Loss,
  threads: number,
): Promise<Engine> {
  if (engine === 'wasm' || !('gpu' in navigator)) {
    if (engine === 'gpu') throw new Error('This browser has no WebGPU. Choose threads.');
    return threadsEngine(threads);
  }
  const { createGpuEngine, findGpu, paysOnGpu, suitsGpu } = await import('../gpu.ts');
  const suits = suitsGpu(encoding, loss);
  if (engine === 'gpu') {
    if (!suits)
      throw new Error(
        `The GPU learns numbers (between −1 and 1, or without limits) by cross-entropy or wrong bits; found ${encoding} ` +
          `with ${loss.name}. Choose threads.`,
      );
  } else if (!suits || !paysOnGpu(n * V * H) || (await findGpu())?.software !== false) {
    return threadsEngine(threads);
  }
  return createGpuEngine({ processor: () => threadsEngine(threads) });
}

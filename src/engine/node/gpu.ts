import type { Engine } from '../engine.ts';
import { createGpuEngine as create, findGpuEngine as find } from '../gpu/engine.ts';
import { createEngine } from './index.ts';

/**
 * The engine on WebGPU, by the package `webgpu` (Dawn), which has to be installed beside this one. Dawn ends the process
 * with an error of memory where what `create` returned is no longer referred to: it is kept for good.
 */
export async function createGpuEngine(): Promise<Engine> {
  return create({ gpu: await dawn(), processor: () => createEngine() });
}

/** The same where `webgpu` is installed and finds an adapter that is no program for processors; nothing otherwise. */
export async function findGpuEngine(): Promise<Engine | undefined> {
  try {
    return await find({ gpu: await dawn(), processor: () => createEngine() });
  } catch {
    return undefined;
  }
}

let kept: unknown;

async function dawn(): Promise<unknown> {
  if (kept) return kept;
  let made: { create(flags: string[]): unknown };
  try {
    // The name is put together so that bundlers leave an optional package alone.
    made = (await import(['web', 'gpu'].join(''))) as typeof made;
  } catch (error) {
    throw new Error(
      "engine: 'gpu' needs the package webgpu beside this one: npm install webgpu " +
        `(${(error as Error).message.split('\n')[0]})`,
    );
  }
  kept = made.create([]);
  return kept;
}

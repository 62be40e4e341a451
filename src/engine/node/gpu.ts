import { readdirSync } from 'node:fs';
import type { Engine } from '../engine.ts';
import type { GpuCodes } from '../gpu/choice.ts';
import { createGpuEngine as create, findGpuEngine as find } from '../gpu/engine.ts';
import { createEngine } from './index.ts';

/**
 * The engine on WebGPU, by the package `webgpu` (Dawn), which has to be installed beside this one. Dawn
 * crashes the process once the object that `create` returned is garbage-collected, so it is kept for good.
 */
export async function createGpuEngine(): Promise<Engine> {
  return create({ gpu: await dawn(), processor: () => createEngine() });
}

/**
 * The same if `webgpu` is installed and finds a hardware adapter with room for such codes; undefined
 * otherwise.
 */
export async function findGpuEngine(codes?: GpuCodes): Promise<Engine | undefined> {
  if (!mayHaveGpu()) return undefined;
  try {
    return await find({ gpu: await dawn(), processor: () => createEngine() }, codes);
  } catch {
    return undefined;
  }
}

/** Whether to look for an adapter: not on a Linux without graphics devices, where drivers would only warn. */
function mayHaveGpu(): boolean {
  if (process.platform !== 'linux') return true;
  const devices = ['/dev', '/dev/dri'].flatMap((folder) => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  });
  return devices.some((name) => /^(renderD\d+|nvidia\d+|dxg|mali\d*)$/.test(name));
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

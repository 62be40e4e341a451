import { Option } from 'commander';
import type { Engine } from '../engine/engine.ts';
import { type GpuCodes, paysOnGpu } from '../engine/gpu/choice.ts';
import type { Session } from './session.ts';

/** Where a command computes: the graphics card, the processor, or whichever suits the work. */
export type EngineName = 'auto' | 'wasm' | 'gpu';

/** What `auto` decides from. */
export interface Work {
  /** Whether the GPU engine does all that this work needs. */
  readonly suits: boolean;
  /** Multiply-adds of one pass over the rows. */
  readonly size: number;
  /** The codes that the card must have room for, if they are those of rows. */
  readonly codes?: GpuCodes;
}

export const engineOption = () =>
  new Option(
    '--engine <name>',
    'where to compute: wasm (the processor), gpu (WebGPU, needs the package webgpu), or auto: the ' +
      'GPU if there is one and the work is worth starting it',
  )
    .choices(['auto', 'wasm', 'gpu'])
    .default('auto');

/** The GPU engine if it was asked for, or if `auto` finds a real one for work of this size. */
export async function gpuFor(name: EngineName, work: Work): Promise<Engine | undefined> {
  if (name === 'wasm' || (name === 'auto' && !(work.suits && paysOnGpu(work.size)))) return undefined;
  const { createGpuEngine, findGpuEngine } = await import('../engine/node/gpu.ts');
  return name === 'gpu' ? createGpuEngine() : findGpuEngine(work.codes);
}

/** Runs work on the GPU engine if `gpuFor` gives one; without an engine, the work has threads of its own. */
export async function onGpuOrThreads<T>(
  session: Session,
  options: { readonly engine: EngineName; readonly threads?: number },
  work: Work,
  run: (engine?: Engine) => Promise<T>,
): Promise<T> {
  const gpu = await gpuFor(options.engine, work);
  return gpu ? session.withEngine(options.threads, run, gpu) : run();
}

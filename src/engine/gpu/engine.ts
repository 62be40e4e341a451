import { encodingOf } from '../../encodings/by-name.ts';
import type { Engine } from '../engine.ts';
import { createWasmEngine } from '../wasm/engine.ts';
import type { GpuCodes } from './choice.ts';
import { type Found, findAdapter, OpenDevice } from './device.ts';
import { Dispatcher } from './dispatcher.ts';
import { GpuEngine } from './operations.ts';
import { holds } from './panel.ts';
import { Processor } from './polish.ts';
import { PROBE_VECTORS } from './probe.ts';
import { SOLVE_VECTORS } from './solve.ts';
import { Tools } from './tools.ts';
import type { Gpu } from './webgpu.ts';

export interface GpuEngineOptions {
  /** Where adapters come from. Default: `navigator.gpu`. */
  readonly gpu?: unknown;
  /**
   * Makes the engine whose float64 proves the few codes that float32 cannot. Default: WebAssembly on one
   * thread.
   */
  readonly processor?: () => Promise<Engine>;
}

/** A graphics card, or a program that stands in for one. */
export interface GpuAdapter {
  readonly name: string;
  /**
   * A program for processors (SwiftShader, llvmpipe, WARP): it gives the same results, and is slower than
   * threads.
   */
  readonly software: boolean;
}

/**
 * The adapter that `createGpuEngine` would use; undefined without WebGPU or without an adapter, or if it has
 * no room for the codes that it is asked for.
 */
export async function findGpu({
  gpu = hostGpu(),
  codes,
}: Pick<GpuEngineOptions, 'gpu'> & { readonly codes?: GpuCodes } = {}): Promise<GpuAdapter | undefined> {
  const found = gpu ? await findAdapter(gpu as Gpu) : undefined;
  if (!found || (codes && !hasRoom(found, codes))) return undefined;
  return { name: found.name, software: found.software };
}

/**
 * The engine on WebGPU: in browsers by `navigator.gpu`, in Node by the package `webgpu` (see
 * `createGpuEngine` of
 * `pc-ae/node`). It uses the fastest adapter, even if that is a program on the processor.
 */
export async function createGpuEngine(options: GpuEngineOptions = {}): Promise<Engine> {
  const gpu = (options.gpu ?? hostGpu()) as Gpu | undefined;
  if (!gpu) {
    throw new Error("engine: this host has no WebGPU (navigator.gpu); use engine 'wasm'");
  }
  const found = await findAdapter(gpu);
  if (!found) {
    throw new Error(
      "engine: WebGPU found no adapter, because no graphics driver responds; use engine 'wasm'",
    );
  }
  return openEngine(gpu, found, options.processor);
}

/** The same if there is a hardware adapter, with room for such codes; undefined otherwise. */
export async function findGpuEngine(
  options: GpuEngineOptions = {},
  codes?: GpuCodes,
): Promise<Engine | undefined> {
  const gpu = (options.gpu ?? hostGpu()) as Gpu | undefined;
  const found = gpu && (await findAdapter(gpu));
  if (!found || found.software || (codes && !hasRoom(found, codes))) return undefined;
  return openEngine(gpu, found, options.processor);
}

/** Whether the programs with the most vectors have room, those of learning. */
function hasRoom({ adapter }: Found, { encoding, H }: GpuCodes): boolean {
  const vectors = encodingOf(encoding).discrete ? PROBE_VECTORS : SOLVE_VECTORS;
  return holds(adapter.limits.maxComputeWorkgroupStorageSize, H + 1, vectors);
}

async function openEngine(
  gpu: Gpu,
  found: Found,
  processor: GpuEngineOptions['processor'] = () => createWasmEngine(),
): Promise<Engine> {
  const tools = new Tools(new Dispatcher(await OpenDevice.open(gpu, found)));
  return new GpuEngine(tools, new Processor(processor));
}

function hostGpu(): unknown {
  return (globalThis as { navigator?: { gpu?: unknown } }).navigator?.gpu;
}

import { existsSync } from 'node:fs';
import type { Engine } from '../../../src/engine/engine.ts';
import { findAdapter, OpenDevice } from '../../../src/engine/gpu/device.ts';
import { Dispatcher } from '../../../src/engine/gpu/dispatcher.ts';
import { createGpuEngine } from '../../../src/engine/gpu/engine.ts';
import { Tools } from '../../../src/engine/gpu/tools.ts';
import type { Adapter, Device, Gpu, Limits } from '../../../src/engine/gpu/webgpu.ts';
import { createEngine } from '../../../src/engine/node/index.ts';

/** Chromium's software driver is enough for all laws, at small sizes. */
const SWIFTSHADER = '/usr/lib/chromium/vk_swiftshader_icd.json';
const LOADERS = ['/usr/lib/x86_64-linux-gnu/libvulkan.so.1', '/usr/lib/aarch64-linux-gnu/libvulkan.so.1'];

/** Why the GPU engine cannot be tested here; undefined where it can. */
export const missing: string | undefined = !existsSync(SWIFTSHADER)
  ? 'no SwiftShader: apt-get install chromium'
  : !LOADERS.some((path) => existsSync(path))
    ? 'no Vulkan loader: apt-get install libvulkan1'
    : undefined;

/** The GPU engine on SwiftShader, in Node by Dawn. */
export async function softwareGpu(): Promise<Engine> {
  process.env.VK_DRIVER_FILES = SWIFTSHADER;
  process.env.VK_ICD_FILENAMES = SWIFTSHADER;
  const { createGpuEngine: create } = await import('../../../src/engine/node/gpu.ts');
  return create();
}

/** What every adapter allows: WebGPU's own defaults. */
export const LEAST: Limits = {
  maxBufferSize: 2 ** 28,
  maxStorageBufferBindingSize: 2 ** 27,
  maxComputeWorkgroupStorageSize: 2 ** 14,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxStorageBuffersPerShaderStage: 8,
};

/**
 * The same, its device, which a driver may take away from it, the names of its programs as they are asked
 * for, and its limits, which a test may lower. An adapter that \`allows\` less makes a device that insists.
 */
export async function softwareDevice(allows?: Limits): Promise<{
  readonly engine: Engine;
  readonly device: Device;
  readonly programs: readonly string[];
  readonly limits: { -readonly [Name in keyof Limits]: Limits[Name] };
}> {
  const adapter = (await (await software()).requestAdapter())!;
  const device: Device[] = [];
  const limits = {} as { -readonly [Name in keyof Limits]: Limits[Name] };
  const watched: Adapter = {
    info: adapter.info,
    limits: allows ?? adapter.limits,
    requestDevice: async (descriptor) => {
      const made = await adapter.requestDevice(descriptor);
      for (const name of Object.keys(descriptor.requiredLimits ?? {}) as (keyof Limits)[])
        limits[name] = made.limits[name];
      Object.defineProperty(made, 'limits', { value: limits });
      device.push(made);
      return made;
    },
  };
  const gpu: Gpu = { requestAdapter: async () => watched };
  const engine = await createGpuEngine({ gpu, processor: () => createEngine({ threads: 1 }) });
  const programs: string[] = [];
  const compile = device[0].createComputePipelineAsync.bind(device[0]);
  device[0].createComputePipelineAsync = (descriptor) => {
    programs.push(descriptor.label!);
    return compile(descriptor);
  };
  return { engine, device: device[0], programs, limits };
}

/** The same as if it were a card that allows no more than this. */
export async function pretendedCard(limits: Limits): Promise<Gpu> {
  const adapter = (await (await software()).requestAdapter())!;
  const info = { vendor: 'a card', architecture: '', device: '', description: '' };
  const card = { info, limits, requestDevice: adapter.requestDevice.bind(adapter) };
  return { requestAdapter: async () => card };
}

/** What operations use, for tests of a part of one. */
export async function softwareTools(): Promise<Tools> {
  const gpu = await software();
  return new Tools(new Dispatcher(await OpenDevice.open(gpu, (await findAdapter(gpu))!)));
}

async function software(): Promise<Gpu> {
  process.env.VK_DRIVER_FILES = SWIFTSHADER;
  process.env.VK_ICD_FILENAMES = SWIFTSHADER;
  const { create } = (await import('webgpu')) as unknown as { create(flags: string[]): Gpu };
  dawn ??= create([]);
  return dawn;
}

/** Kept for good: Dawn ends the process where nobody refers to it. */
let dawn: Gpu | undefined;

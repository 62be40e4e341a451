import { existsSync } from 'node:fs';
import type { Engine } from '../../../src/engine/engine.ts';

/** Debian's chromium brings a program for processors that behaves like a driver: enough for all laws, at small sizes. */
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
  const { createGpuEngine } = await import('../../../src/engine/node/gpu.ts');
  return createGpuEngine();
}

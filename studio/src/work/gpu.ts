/** What needs WebGPU, loaded where there is any. */
export { createGpuEngine, findGpu } from 'pc-ae/engine';

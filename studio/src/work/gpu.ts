/** What needs WebGPU, loaded where there is any. */
export { createGpuEngine, findGpu, paysOnGpu, suitsGpu } from 'pc-ae/engine';

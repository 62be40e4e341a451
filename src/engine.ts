/**
 * `pc-ae/engine`: where the work is done: WebAssembly, WebGPU or the plain reference, and which one is used
 * by default.
 *
 * @module pc-ae/engine
 */
export { defaultEngine, setDefaultEngine } from './engine/default.ts';
export {
  type Block,
  type Engine,
  type Floats,
  type Point,
  type Range,
  type Shape,
  widthOf,
} from './engine/engine.ts';
export { type GpuCodes, paysOnGpu, suitsGpu } from './engine/gpu/choice.ts';
export {
  createGpuEngine,
  findGpu,
  type GpuAdapter,
  type GpuEngineOptions,
} from './engine/gpu/engine.ts';
export { referenceEngine } from './engine/reference/engine.ts';
export { createWasmEngine, type WasmEngineOptions } from './engine/wasm/engine.ts';

/**
 * `pc-ae/onnx`: models for other programs: decoder and encoder as ONNX graphs.
 *
 * @module pc-ae/onnx
 */
export type { EncoderAccuracy } from './export/accuracy.ts';
export { exportDecoder } from './export/decoder.ts';
export { type EncoderOptions, exportEncoder } from './export/encoder.ts';

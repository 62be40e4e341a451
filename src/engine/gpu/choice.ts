import { encodingOf } from '../../encodings/by-name.ts';
import type { EncodingName } from '../../encodings/encoding.ts';
import type { Loss } from '../../losses/loss.ts';

/** Whether the GPU engine can learn and find codes of this kind for this loss. */
export function suitsGpu(encoding: EncodingName, { name }: Loss): boolean {
  const { free, discrete } = encodingOf(encoding);
  return (free || discrete) && (name === 'cross-entropy' || name === 'hamming');
}

/** Codes of so many numbers, that an adapter should have room for. */
export interface GpuCodes {
  readonly encoding: EncodingName;
  readonly H: number;
}

/**
 * Whether a GPU is worth its start, by the multiply-adds of one pass over the rows: rows x columns x units.
 */
export function paysOnGpu(size: number): boolean {
  return size >= LARGE;
}

/**
 * Starting a card and compiling its programs takes about as long as two cores take to learn from rows of this
 * size (docs/gpu.md).
 */
const LARGE = 1e9;

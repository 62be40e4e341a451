import type { PackedCodes } from '../bits/pack.ts';
import type { Rows } from '../rows/rows.ts';
import { type Decoder, estimateSize, withoutCodes } from './compress.ts';

/** A decoder of H units and the codes that it gives the sample. */
export type LearnDecoder = (H: number) => Promise<Decoder & { readonly codes: PackedCodes }>;

/**
 * How many bits a code should have to make a file of n rows smallest, by what the sample takes: 0, or as many of 8, 16,
 * 32, 64 as each doubling makes the file smaller.
 */
export async function chooseUnits(
  n: number,
  sample: Rows,
  learn: LearnDecoder,
  signal?: AbortSignal,
): Promise<number> {
  let best = 0;
  let size = await estimateSize(n, withoutCodes(sample), { rows: sample, ...withoutCodes(sample) }, signal);
  for (let H = 8; H <= MOST; H *= 2) {
    const decoder = await learn(H);
    const next = await estimateSize(n, decoder, { rows: sample, codes: decoder.codes }, signal);
    if (next >= size) break;
    [best, size] = [H, next];
  }
  return best;
}

const MOST = 64;

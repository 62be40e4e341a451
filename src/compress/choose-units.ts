import type { PackedCodes } from '../bits/pack.ts';
import type { Rows } from '../rows/rows.ts';
import { type Decoder, estimateSize, withoutCodes } from './compress.ts';
import { WIDEST } from './predict-rows.ts';

/** A decoder of H units and the codes that it gives the sample. */
export type LearnDecoder = (H: number) => Promise<Decoder & { readonly codes: PackedCodes }>;

/**
 * How many bits a code should have to make a file of n rows smallest: 0, 8 or 16, by what the sample takes. Codes are not even
 * tried where all pairs of columns are looked at and rows are many: what rows tell each other grows with every row, and a
 * sample would say too little of it (of 60,000 MNIST images, 1,337 ask for 64 bits, which make the file 14% larger).
 */
export async function chooseUnits(
  n: number,
  sample: Rows,
  learn: LearnDecoder,
  signal?: AbortSignal,
): Promise<number> {
  if (sample.V <= WIDEST && n > MANY * sample.n) return 0;
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

/** Files of so many times the sample's rows are left to the rows. */
const MANY = 4;
const MOST = 16;

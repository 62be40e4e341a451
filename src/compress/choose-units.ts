import type { PackedCodes } from '../bits/pack.ts';
import { type Rows, takeRows } from '../rows/rows.ts';
import { type Decoder, estimateSize, withoutCodes } from './compress.ts';
import { WIDEST } from './predict-rows.ts';

/** A decoder of H units, learned from rows, and the codes that it gives them. */
export type LearnDecoder = (rows: Rows, H: number) => Promise<Decoder & { readonly codes: PackedCodes }>;

/**
 * How many bits a code should have to make a file of n rows smallest: 0 or 8, by what a quarter of the sample
 * takes, so that choosing costs a fraction of packing. Codes are not even tried where all pairs of columns
 * are looked at and rows are many: what rows tell each other grows with every row, and a sample would say too
 * little of it (of 60,000 MNIST images, 1,337 ask for 64 bits, which make the file 14% larger).
 */
export async function chooseUnits(
  n: number,
  sample: Rows,
  learn: LearnDecoder,
  signal?: AbortSignal,
): Promise<number> {
  if (sample.V <= WIDEST && n > MANY * sample.n) return 0;
  const tried = takeRows(
    sample,
    Uint32Array.from({ length: Math.ceil(sample.n / PART) }, (_, k) => PART * k),
  );
  const size = (decoder: Decoder & { readonly codes: PackedCodes }) =>
    estimateSize(n, decoder, { rows: tried, codes: decoder.codes }, signal);
  const without = await size(withoutCodes(tried));
  return (await size(await learn(tried, UNITS))) < without ? UNITS : 0;
}

/** Files of so many times the sample's rows are left to the rows. */
const MANY = 4;
/** One row in so many of the sample is tried. */
const PART = 4;
/**
 * Of the tables that were tried, the only one that asks for codes (docs/compression.md) took more with 16.
 */
const UNITS = 8;

import { readRows } from '../rows/input.ts';
import { sliceRows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { checkedRowWeights } from '../rows/weights.ts';
import { paced } from '../training/loop/pace.ts';
import type { Reconstruction } from './autoencoder.ts';
import { checkedAgainst, compareBits } from './evaluate.ts';
import type { Stack, StackEvaluateOptions } from './stack.ts';

/**
 * Mean loss and wrong bits of a source's rows, read piece by piece. Bounds and proofs exist for one layer
 * only.
 */
export async function evaluateStack(
  stack: Stack,
  source: RowSource,
  options: StackEvaluateOptions,
): Promise<Reconstruction> {
  const weights = options.rowWeights && checkedRowWeights(options.rowWeights, source.n, 'evaluate');
  const against =
    options.against &&
    checkedAgainst(await readRows(options.against, 'against', stack.schema, options.signal), source);
  let n = 0;
  let total = 0;
  let loss = 0;
  let hamming = 0;
  let entries = 0;
  const report = paced(options.onProgress);
  for await (const part of stack.encodeSource(source, options)) {
    const rows = against ? sliceRows(against, n, n + part.n) : part.rows;
    const losses = against ? await stack.lossesAt(rows, part.codes, options) : part.losses;
    const decoded = await stack.decode(part.codes, options);
    for (let i = 0; i < part.n; i++) {
      const weight = weights?.[n + i] ?? 1;
      total += weight;
      loss += weight * losses[i];
      const { wrong, known } = compareBits(rows, i, decoded);
      hamming += weight * wrong;
      entries += weight * known;
    }
    n += part.n;
    report(n / source.n);
  }
  if (n === 0) throw new RangeError('evaluate: there are no rows to measure on');
  return {
    n,
    loss: loss / total,
    lossPerBit: loss / Math.max(entries, Number.MIN_VALUE),
    hamming: hamming / total,
  };
}

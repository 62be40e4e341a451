import type { Certificates, Point, PolishOptions } from '../engine.ts';
import { itemAt } from '../reference/item.ts';
import { polishItem } from '../reference/polish.ts';
import type { Memory } from './memory.ts';
import { widthOf } from './point.ts';
import { useBlock } from './storage.ts';

/** Losses that no kernel polishes are polished row by row in plain float64, from their own functions. */
export function polishPlainly(
  memory: Memory,
  at: Point,
  options: PolishOptions,
  rows: Int32Array,
): Certificates {
  const block = useBlock(memory, at.block);
  const losses = new Float64Array(rows.length);
  const gaps = new Float64Array(rows.length);
  const width = widthOf(at.shape);
  const W = at.W.read();
  const columnWeights = at.columnWeights?.read();
  rows.forEach((row, i) => {
    const first = ((at.offset ?? 0) + row) * width;
    const stored = { rows: block.row(row), W, E: at.E.read(first, first + width), columnWeights };
    const polished = polishItem(itemAt('codes', { ...at, offset: 0 }, stored, 0), options);
    at.E.write(polished.z, first);
    losses[i] = polished.loss;
    gaps[i] = polished.gap;
  });
  return { losses, gaps };
}

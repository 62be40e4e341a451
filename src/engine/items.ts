import { type Point, type Range, type Side, widthOf } from './engine.ts';

/** The small convex problems of a point on one side: the codes of rows, or the weights of bits. */
export interface Items extends Range {
  readonly n: number;
  readonly V: number;
  /** Their number; `start` to `end` are those that are worked on. */
  readonly items: number;
  /** Entries of each. */
  readonly K: number;
  /** Numbers of each, of which the first `free` may change: the bias unit of a code stays at 1. */
  readonly width: number;
  readonly free: number;
  /** The weight of an entry: 1/2, divided by the number of rows on side 'weights'. */
  readonly half: number;
}

export function itemsOf(side: Side, { block, shape, range }: Point): Items {
  const { n, V } = block;
  if (shape.V !== V) throw new Error(`engine: the rows have V = ${V} entries, the model has V = ${shape.V}`);
  const width = widthOf(shape);
  const codes = side === 'codes';
  const [items, K] = codes ? [n, V] : [V, n];
  const { start, end } = range ?? { start: 0, end: items };
  if (!(start >= 0 && start <= end && end <= items)) {
    throw new Error(
      `engine: the range ${start} to ${end} is not within the ${items} items of side '${side}'`,
    );
  }
  const free = codes ? shape.H : width;
  return { n, V, items, K, start, end, width, free, half: codes ? 0.5 : 0.5 / n };
}

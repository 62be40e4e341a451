import { entry, permutation, type Rows, takeRows } from 'pc-ae/rows';
import type { RunContext } from './learn.ts';

/** A figure of the paper, made anew: pictures by file name, and the numbers behind them. */
export interface PaperFigure {
  readonly about: string;
  draw(folder: string, context: RunContext): Promise<Drawn>;
}

export interface Drawn {
  readonly pictures: Readonly<Record<string, string>>;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A few rows, drawn at random, the same ones every time. */
export function someRows(rows: Rows, count: number): Rows {
  return takeRows(rows, permutation(rows.n, 1).subarray(0, count));
}

/** Entries of rows as plain numbers, n x V. */
export function plainValues(rows: Rows): Float32Array {
  return Float32Array.from({ length: rows.n * rows.V }, (_, k) =>
    entry(rows, Math.floor(k / rows.V), k % rows.V),
  );
}

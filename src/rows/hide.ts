import type { ColumnGroup } from './about.ts';
import { rowStream, sampleUnit } from './binarize.ts';
import { atOnce, type Steps } from './breath.ts';
import { allKnown, type Rows, rowBytes } from './rows.ts';

/** Rows with some known entries hidden, so that a model can be judged by its guesses. */
interface HiddenEntries {
  /** The rows without the hidden entries. */
  readonly shown: Rows;
  /** The same rows with only the hidden entries known. */
  readonly hidden: Rows;
}

/**
 * Hides a share of the known entries, each independently. The columns of one category are hidden together,
 * because the others would give each of them away. Each row has its own stream of random numbers.
 */
export function hideEntries(...given: Parameters<typeof hiding>): HiddenEntries {
  return atOnce(hiding(...given));
}

/** The same in steps, because a million entries take a while. */
export function* hiding(
  rows: Rows,
  share: number,
  seed: number,
  groups: readonly ColumnGroup[] = [],
): Steps<HiddenEntries> {
  const { n, V } = rows;
  const { hide, result } = rows.kind === 'bits' ? hidingBits(rows) : hidingValues(rows);
  // For each column, the one whose draw decides about it: the first of its category.
  const leader = Uint32Array.from({ length: V }, (_, v) => v);
  for (const { first, values } of groups) leader.fill(first, first, first + values.length);
  const hit = new Uint8Array(V);
  for (let i = 0; i < n; i++) {
    const stream = rowStream(seed, i);
    for (let v = 0; v < V; v++) hit[v] = sampleUnit(share, stream) ? 1 : 0;
    for (let v = 0; v < V; v++) if (hit[leader[v]]) hide(i, v);
    yield;
  }
  return result;
}

function hidingBits(rows: Rows & { kind: 'bits' }) {
  const before = rows.known ?? allKnown(rows.n, rows.V);
  const [shown, hidden] = [before.slice(), new Uint8Array(before.length)];
  const stride = rowBytes(rows.V);
  const hide = (i: number, v: number) => {
    const at = i * stride + (v >> 3);
    const bit = 1 << (v & 7);
    hidden[at] |= before[at] & bit;
    shown[at] &= ~bit;
  };
  return { hide, result: { shown: { ...rows, known: shown }, hidden: { ...rows, known: hidden } } };
}

function hidingValues(rows: Rows & { kind: 'real' }) {
  const { V, values } = rows;
  const [shown, hidden] = [values.slice(), new Float32Array(values.length).fill(Number.NaN)];
  const hide = (i: number, v: number) => {
    hidden[i * V + v] = values[i * V + v];
    shown[i * V + v] = Number.NaN;
  };
  return { hide, result: { shown: { ...rows, values: shown }, hidden: { ...rows, values: hidden } } };
}

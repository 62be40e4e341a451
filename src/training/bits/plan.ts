import { counted } from '../../rows/counted.ts';
import { type Rows, rowBytes } from '../../rows/rows.ts';

/**
 * How passes over the rows are divided: `relaxed` passes of the relaxation from each start, the others for
 * the alternation.
 */
export interface Plan {
  readonly starts: number;
  readonly relaxed: number;
}

/** Passes over n rows: fewer if a pass takes long, because of many rows or long codes. */
export function defaultPasses(n: number, H: number): number {
  const relaxed = Math.max(LEAST_PASSES, Math.min(MOST_PASSES, 8 * leisure(n, H)));
  return Math.round(relaxed * (startsFor(n, H) + ROUNDS));
}

export function planFor(passes: number, n: number, H: number): Plan {
  const affordable = Math.floor(passes / LEAST_PASSES) - ROUNDS;
  const starts = Math.max(1, Math.min(startsFor(n, H), affordable));
  return { starts, relaxed: Math.ceil(passes / (starts + ROUNDS)) };
}

function startsFor(n: number, H: number): number {
  return Math.round(Math.max(2, Math.min(8, 4 * leisure(n, H))));
}

/** How cheap a pass is, relative to one over 60,000 rows with 32 bits. */
function leisure(n: number, H: number): number {
  return Math.sqrt((60_000 / n) * (32 / Math.max(32, H)));
}

/** Rounds of the alternation for each pass of the relaxation; they take by far the most time. */
const ROUNDS = 2;
/** The least and the most passes of the relaxation from a start. */
const LEAST_PASSES = 4;
const MOST_PASSES = 30;
/** Times 1/n: the ridge of the relaxation, until the weights or validation rows decide the final one. */
export const RELAX_RIDGE = 1.5;

/** The most bytes of rows and codes in the engine's memory; the rest is for weights and sums. */
const MOST_BYTES = 3.5 * 2 ** 30;
/** The most rows that an engine can fit W to. */
const MOST_ROWS = 1e7;

/** Refuses rows that do not fit in memory with their codes, before anything is read or learned. */
export function checkBitsSize(
  { n, V, kind }: { n: number; V: number; kind?: Rows['kind'] },
  H: number,
): void {
  if (n > MOST_ROWS) {
    throw new RangeError(
      `fit: encoding 'bits' learns from at most ${MOST_ROWS} rows, got ${n}. Learn from a sample of the rows: the ` +
        'model encodes any number of them',
    );
  }
  // Codes exist three times while W is fitted to them: as they are, and packed for both of their products.
  const bytes = n * ((kind === 'real' ? 4 * V : rowBytes(V)) + 4 * (3 * (H + 1) + 1));
  if (bytes <= MOST_BYTES) return;
  const gigabytes = (value: number) => `${(value / 2 ** 30).toFixed(1)} GiB`;
  throw new RangeError(
    `fit: encoding 'bits' keeps all rows and codes in memory; ${counted(n, 'row')} of ${V} columns with ${H} bits each need ` +
      `${gigabytes(bytes)}, at most ${gigabytes(MOST_BYTES)} are possible. Learn from a sample of the rows: ` +
      'the model encodes any number of them',
  );
}

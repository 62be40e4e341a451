import { counted } from '../../rows/counted.ts';
import { type Rows, rowBytes } from '../../rows/rows.ts';

/**
 * How passes over the rows are spent: `relaxed` of the relaxation from each start, the others on the
 * alternation.
 */
export interface Plan {
  readonly starts: number;
  readonly relaxed: number;
}

/** Passes over n rows: fewer where one takes long, because rows are many or codes are. */
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

/** How little a pass costs, on a scale on which 60,000 rows and 32 bits are 1. */
function leisure(n: number, H: number): number {
  return Math.sqrt((60_000 / n) * (32 / Math.max(32, H)));
}

/** Rounds of the alternation for each pass that relaxes from a start; they take by far the most time. */
const ROUNDS = 2;
/** Passes that relax from a start, at least and at most. */
const LEAST_PASSES = 4;
const MOST_PASSES = 30;
/** Times 1/n: the ridge of the relaxation, until the weights or validation rows tell which one it should be. */
export const RELAX_RIDGE = 1.5;

/** What rows and codes may take in the engine's memory; the rest is for weights and sums. */
const MOST_BYTES = 3.5 * 2 ** 30;
/** Rows that an engine takes at once when it fits W. */
const MOST_ROWS = 1e7;

/** Says so at once where rows and their codes cannot be kept: nothing has been read or learned by then. */
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
  // Codes are there three times while W is fitted to them: as they are, and packed for both of their
  // products.
  const bytes = n * ((kind === 'real' ? 4 * V : rowBytes(V)) + 4 * (3 * (H + 1) + 1));
  if (bytes <= MOST_BYTES) return;
  const gigabytes = (value: number) => `${(value / 2 ** 30).toFixed(1)} GiB`;
  throw new RangeError(
    `fit: encoding 'bits' keeps all rows and codes in memory; ${counted(n, 'row')} of ${V} columns with ${H} bits each need ` +
      `${gigabytes(bytes)}, at most ${gigabytes(MOST_BYTES)} are possible. Learn from a sample of the rows: ` +
      'the model encodes any number of them',
  );
}

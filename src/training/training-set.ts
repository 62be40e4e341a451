import { isSource } from '../rows/input.ts';
import { collect } from '../rows/memory.ts';
import { type Rows, rowBytes, takeRows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { holdOut } from '../rows/split.ts';
import type { TrainingExtras } from './data.ts';
import type { CheckedOptions } from './options.ts';

/** Rows with what else is known of them: to learn from, or to validate on. */
export interface RowSet extends TrainingExtras {
  readonly rows: Rows | RowSource;
}

/** Rows in memory, with what else is known of them. */
export interface HeldSet extends TrainingExtras {
  readonly rows: Rows;
  /** Columns that are one category. */
  readonly groups?: RowSource['groups'];
}

/** Rows up to this size are kept in memory; larger sources are read again in each epoch. */
const RESIDENT_BYTES = 768 * 2 ** 20;

/** The rows to learn from and the rows to validate on, each with its weights. */
export async function splitRows(
  input: Rows | RowSource,
  options: CheckedOptions,
): Promise<{ training: RowSet; held?: HeldSet }> {
  const columnWeights = options.columnWeights && checkedColumnWeights(options.columnWeights, input.V);
  const given = options.rowWeights && checkedRowWeights(options.rowWeights, input.n);
  const { groups } = input;
  let rows: Rows | RowSource = input;
  if (isSource(rows) && options.codes !== 'recompute' && (await fitsInMemory(rows))) {
    rows = await collect(rows);
  }
  const { validation } = options;
  if (isSource(rows)) {
    if (given)
      throw new RangeError('fit: rowWeights needs rows that fit in memory, with codes that are kept');
    if (typeof validation === 'number') {
      throw new RangeError(
        'fit: a validation share needs rows that fit in memory; hold rows out beforehand and pass them as validation',
      );
    }
    return {
      training: { rows, columnWeights },
      held: validation && { rows: validation, columnWeights, groups },
    };
  }
  const whole = { rows, given };
  const share = typeof validation === 'number' ? holdOut(rows.n, validation, options.seed ?? 1) : undefined;
  // Other rows to validate on are taken as they are, each as important as the next.
  const other = typeof validation === 'object' ? { rows: validation } : undefined;
  const held: HeldSet | undefined = share ? part(whole, 'held out', share.held) : other;
  const training = part(whole, 'left to learn from', share?.kept);
  return { training: { ...training, columnWeights }, held: held && { ...held, columnWeights, groups } };
}

interface Whole {
  readonly rows: Rows;
  readonly given?: Float64Array;
}

/** Some of the rows (or all) without those of weight 0, and weights that are 1 in the mean. */
function part({ rows, given }: Whole, what: string, chosen?: Uint32Array): HeldSet {
  if (!given && !chosen) return { rows };
  const all = chosen ?? Uint32Array.from({ length: rows.n }, (_, i) => i);
  const order = given ? all.filter((i) => given[i] > 0) : all;
  if (order.length === 0) throw new RangeError(`fit: rowWeights: every row that is ${what} has weight 0`);
  const picked = { rows: takeRows(rows, order) };
  if (!given) return picked;
  const weights = Float32Array.from(order, (i) => given[i]);
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  return { ...picked, rowWeights: weights.map((weight) => weight / mean) };
}

/** Whether the rows of a source may be kept; where that depends on what they are, bits or real, the first tells. */
async function fitsInMemory(source: RowSource): Promise<boolean> {
  const { n, V } = source;
  // Bits may come with as many that say which of them are known.
  if (2 * n * rowBytes(V) > RESIDENT_BYTES) return false;
  if (4 * n * V <= RESIDENT_BYTES) return true;
  for await (const { kind } of source.chunks(1)) return kind === 'bits';
  return true;
}

export function checkedRowWeights(weights: ArrayLike<number>, n: number, call = 'fit'): Float64Array {
  return checked(weights, n, `${call}: rowWeights`, 'row');
}

function checkedColumnWeights(weights: ArrayLike<number>, V: number, call = 'fit'): Float32Array {
  return Float32Array.from(checked(weights, V, `${call}: columnWeights`, 'column'));
}

function checked(weights: ArrayLike<number>, count: number, name: string, what: string): Float64Array {
  if (weights.length !== count) {
    throw new RangeError(
      `${name} must hold one weight for each of the ${count} ${what}s, got ${weights.length}`,
    );
  }
  const out = Float64Array.from(weights);
  const wrong = out.findIndex((weight) => !(weight >= 0 && Number.isFinite(weight)));
  if (wrong >= 0)
    throw new RangeError(`${name}: the weight of ${what} ${wrong} must be at least 0, got ${out[wrong]}`);
  if (!out.some((weight) => weight > 0)) throw new RangeError(`${name}: every ${what} has weight 0`);
  return out;
}

import { counted } from '../rows/counted.ts';

/**
 * The most units that a model of V columns can have. Learning holds several arrays of V x (H + 1) numbers in
 * the engine's memory (W, its gradient, two moments of it), and encoding some of H x H; each may take a
 * quarter of the 4 GiB. H x H is also limited in proportion to V x H, so that a small file cannot ask for
 * hours of work.
 */
export function mostHidden(V: number): number {
  const held = Math.min(Math.floor(MOST_NUMBERS / V), Math.floor(Math.sqrt(MOST_NUMBERS))) - 1;
  return Math.max(0, Math.min(held, Math.max(MOST_OF_FEW, 4 * V)));
}

const MOST_NUMBERS = 2 ** 28;

/** The units that even rows of very few columns may have. */
const MOST_OF_FEW = 1024;

/**
 * Refuses more units than fit, and far more than the rows can fill, before any array of that size is made. As
 * many units as there are columns, or rows, describe every row exactly; an epoch's work on H x H numbers
 * would take hours for nothing.
 */
export function checkHidden(call: string, H: number, { V, n = Number.POSITIVE_INFINITY }: Table): void {
  const held = mostHidden(V);
  const useful = Math.max(PLENTY, 4 * Math.min(V, n));
  if (H <= Math.min(held, useful)) return;
  const columns = `rows of ${counted(V, 'column')}`;
  if (held < useful)
    throw new RangeError(
      `${call}: H is ${H}, and for ${columns} it can be ${held} at most: V x (H + 1) weights and H x H numbers have ` +
        'to be held in memory',
    );
  throw new RangeError(
    `${call}: H is ${H}, and for ${n < V ? counted(n, 'row') : columns} it can be ${useful} at most; ` +
      `a unit for each ${n < V ? 'row' : 'column'} already describes every row exactly`,
  );
}

/** The columns of a table, and its rows if their number is known. */
interface Table {
  readonly V: number;
  readonly n?: number;
}

/** Units that any table may have: those that are of no use cost little time yet. */
const PLENTY = 128;

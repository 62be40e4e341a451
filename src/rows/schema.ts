/**
 * How a table was read, as plain data: what somebody declared and what was concluded about the rest. A source
 * carries it beside its rows, a model keeps it and its next table is read so, and `pcae info` writes it to a
 * file that `--schema` takes back. What is left out of a declaration is concluded from the table, or asked
 * for by an error.
 */
export interface TableSchema {
  /**
   * What the numbers stand for; `packed`: eight bits in each byte; `numbers`: codes or weights, which no
   * model learns from. See `rows/values.ts`.
   */
  readonly values: 'bits' | 'signs' | 'unit' | 'bytes' | 'presence' | 'numbers' | 'packed';
  /** How values between 0 and 1 became bits; `none` where they were bits already, or stayed real. */
  readonly binarize: 'sample' | 'threshold' | 'none';
  /** What fixed the draws of `binarize: 'sample'`. */
  readonly seed: number;
  /** What came of it: packed bits, or real values. */
  readonly kind: 'bits' | 'real';
  /**
   * `wide`: a column for each bit. `long`: a line `row,item` for each one. `items`: a line for each row, of
   * its items.
   */
  readonly layout?: 'wide' | 'long' | 'items';
  /** Whether the first line of a text names its columns. */
  readonly header?: boolean;
  /** What separates the cells of a text. */
  readonly delimiter?: string;
  /** The column that names the rows, by name or by number from 0; false: there is none. */
  readonly idColumn?: string | number | boolean;
  /** The columns of the table that are read, in this order, where these are not all: a selection. */
  readonly columns?: string | readonly (string | number)[];
  /** Columns whose words are categories, a bit for each word; true: all columns that hold words. */
  readonly categorical?: boolean | string | readonly (string | number)[];
  /** The column that holds lists, where the table has several. */
  readonly variable?: string;
  /**
   * What an entry is made of two alleles: `dominant`, a one for one copy or two; `recessive`, for two;
   * `additive`, their share.
   */
  readonly genotypes?: 'dominant' | 'recessive' | 'additive';
  /** Words for a one, for a zero and for a missing entry; capitals do not matter. */
  readonly ones?: readonly string[];
  readonly zeros?: readonly string[];
  readonly missing?: readonly string[];
  /** The words for zero and one of each column that has others than 0 and 1, for writing rows as they came. */
  readonly words?: Readonly<Record<string, readonly [zero: string, one: string]>>;
}

/**
 * How a table was read, as plain data: what the user declared and what was concluded about the rest. A source
 * carries the schema beside its rows; a model keeps it and reads later tables by it; `pcae info` writes it to
 * a file that `--schema` accepts. What a declaration leaves out is concluded from the table or, if that is
 * impossible, asked for by an error.
 */
export interface TableSchema {
  /**
   * What the numbers stand for; `packed`: eight bits in each byte; `numbers`: codes or weights, which no
   * model learns from. See `rows/values.ts`.
   */
  readonly values: 'bits' | 'signs' | 'unit' | 'bytes' | 'presence' | 'numbers' | 'packed';
  /** How values between 0 and 1 became bits; `none` if they were bits already, or stayed real. */
  readonly binarize: 'sample' | 'threshold' | 'none';
  /** The seed of the draws with `binarize: 'sample'`. */
  readonly seed: number;
  /** The resulting rows: packed bits, or real values. */
  readonly kind: 'bits' | 'real';
  /**
   * `wide`: a column for each bit. `long`: a line `row,item` for each one. `items`: a line for each row,
   * which lists its items.
   */
  readonly layout?: 'wide' | 'long' | 'items';
  /** Whether the first line of a text file names its columns. */
  readonly header?: boolean;
  /** The separator of the cells of a text file. */
  readonly delimiter?: string;
  /** The column that names the rows, by name or by number from 0; false: there is none. */
  readonly idColumn?: string | number | boolean;
  /** A selection of the columns to read, in this order. Absent: all. */
  readonly columns?: string | readonly (string | number)[];
  /** Columns whose words are values of a category, a bit for each word; true: all columns that hold words. */
  readonly categorical?: boolean | string | readonly (string | number)[];
  /** The column with the lists to read, if several columns hold lists. */
  readonly variable?: string;
  /**
   * How two alleles become an entry: `dominant`, a one for one copy or two; `recessive`, a one for two
   * copies; `additive`, the share of copies.
   */
  readonly genotypes?: 'dominant' | 'recessive' | 'additive';
  /** The words for a one, for a zero and for a missing entry; upper and lower case are the same. */
  readonly ones?: readonly string[];
  readonly zeros?: readonly string[];
  readonly missing?: readonly string[];
  /** The words for 0 and 1 of each column with other words, so that rows can be written as they were read. */
  readonly words?: Readonly<Record<string, readonly [zero: string, one: string]>>;
}

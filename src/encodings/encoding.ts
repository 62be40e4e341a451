/**
 * The contract of an encoding: what a code may be (Sec. 3.1; the proof of Theorem 1 assumes no structure on
 * codes), and everything that other rooms need to know about it. No other room asks for the name of an
 * encoding, so that a new one is a file here and a line in `by-name.ts`. (Kernels know some sets by number,
 * for speed; see `engine/wasm/sets.ts`.)
 */
export interface Encoding extends CodeSet {
  readonly name: EncodingName;
  /** Whether codes are true bits, which are searched for and proven over their convex relaxation, the box. */
  readonly discrete: boolean;
  /**
   * Whether codes are learned in all of R^H, where units may be turned and scaled, and are brought into the
   * set at the end. Otherwise codes stay in their set while they are learned, and units keep their axes.
   */
  readonly free: boolean;
  /**
   * Whether the set has a size, 1 in finished models. Otherwise certificates hold among codes within
   * `radius`.
   */
  readonly bounded: boolean;
  /**
   * The numbers of bits to which a number of a code may be rounded, as one of evenly spaced values from -1
   * to 1. Empty if codes are not rounded.
   */
  readonly roundsTo: readonly number[];
  /**
   * The size of the set while codes are learned in it; Infinity if nothing limits them. The size is a choice
   * of coordinates, and leaves room for codes of about unit variance, which learning is tuned for.
   */
  learningRadius(H: number): number;
  /**
   * Turns weights W (V x width), whose codes have mean 0 and unit variance, into weights to start from. An
   * affine map puts the set around those codes, and weights and bias undo it, so that learning starts from
   * the same scores.
   */
  start(W: Float32Array, shape: CodeShape): Float32Array;
  readonly words: EncodingWords;
  /** Options that make no sense with this encoding, by their names in the library, and why. */
  readonly refuses: Refusals;
}

/**
 * A set of codes that comes in any size. Two operations suffice for a convex set: the nearest point, and how
 * far a linear function can fall inside the set, which turns a gradient into a certificate. The set of size
 * `radius` lies within the box of that radius.
 */
export interface CodeSet {
  readonly name: string;
  /** Moves e, in place, to the nearest point of the set of that size. */
  project(e: Float64Array, radius: number): void;
  /** max over e' in the set of g . (e - e'): with g the gradient at e, an upper bound on f(e) - f*. */
  gap(g: Float64Array, e: Float64Array, radius: number): number;
}

/**
 * Codes of H numbers for rows of V bits; weights are V x H, or V x (H + 1) with the bias in the last column.
 */
interface CodeShape {
  readonly V: number;
  readonly H: number;
  readonly bias: boolean;
}

interface EncodingWords {
  /** What a code is made of, in the singular. */
  readonly one: string;
  /** What comes after "codes of H numbers". */
  readonly which: string;
  /** What one number of a code must be. */
  readonly entry: string;
  /** Completes "codes ..." for a set of that size. */
  about(radius: number): string;
  /** The name of the gap. Bits are proven over the box, whose codes cost far less: their gap is no error. */
  readonly gap: 'certified gap' | 'not ruled out';
  /** For a list of all encodings. */
  readonly help: string;
}

export type Refusals = Readonly<Partial<Record<string, string>>>;

export type EncodingName = 'box' | 'real' | 'bits' | 'nonnegative' | 'simplex' | 'ball';

/**
 * A job, as the host writes it into shared memory: addresses, shapes and numbers of one operation. The build
 * script reads the fields of this class and the constants below, and generates the host's side of them.
 */
@unmanaged
export class Job {
  /** Which kernel: one of the constants below. */
  kernel: u32;
  /** The next unit of work to take: every thread adds one to it. */
  next: i32;
  units: i32;

  // Rows of the block: packed bits (and which of them are known), or float32 with NaN for what is missing.
  rows: u32;
  V: u32;
  bits: u32;
  known: u32;
  values: u32;
  /** Some entries of `values` are NaN. */
  missing: u32;

  // The two factors. `A` is the side that is held, `Z` the side that is moved.
  side: u32;
  width: u32;
  /** Coordinates of an item that move: all but the bias unit on side 'codes'. */
  free: u32;
  /** Columns that ridge acts on: all but the bias unit. */
  ridged: u32;
  A: u32;
  Z: u32;
  /** A packed for A z: [K / 4][width][4]. */
  forward: u32;
  /** A packed for A^T r: [width / 4][K][4]. */
  back: u32;
  /** A as columns: [width][K rounded up to four]. */
  columns: u32;
  /** A where it is mostly zeros, instead of `forward`; see sparse.ts. */
  entries: u32;
  entryStarts: u32;
  K: u32;
  start: u32;
  end: u32;

  // The loss. `half` is the factor of Psi' - x in the residual: 1/2, times 1/n on side 'weights'.
  loss: u32;
  table: u32;
  tableSize: u32;
  tableFrom: f32;
  tableStep: f32;
  /** Losses other than cross-entropy, by chords in float64; see wells.ts. */
  wells: u32;
  wellNodes: u32;
  conjugates: u32;
  dualCells: u32;
  /** Width of what kinks are smoothed to, where the loss has any. */
  smoothing: f32;
  half: f32;
  weighted: u32;
  columnWeights: u32;
  rowWeights: u32;

  // solve
  steps: u32;
  tolerance: f32;
  precondition: u32;
  /** Weights of the entries in what codes begin at, and the scores that these aim at; 0: where they are. */
  linear: u32;
  target: f32;
  ridge: f32;
  radius: f32;
  /** 0: codes stay in the box of `radius`; otherwise one of the sets below, of that size. */
  set: u32;
  /** A typical diagonal entry of the preconditioner. */
  stepScale: f32;
  losses: u32;
  gaps: u32;

  // sums over rows
  chunk: u32;
  slots: u32;
  slotSize: u32;
  partial: u32;
  gradient: u32;
  curvature: u32;

  // everything else
  rate: f32;
  accumulators: u32;
  out: u32;
  /** 1: reconstructions, 0: scores. */
  what: u32;
  /** Numbers of the rows to work on; 0 for the whole range. */
  list: u32;
  /** A direction for each item, like `Z` in shape, where there are any. */
  directions: u32;
  /** Whether dual points are moved on few entries, along the step that these give with `ridge`. */
  few: u32;
  /** Sweeps of flips over the bits, at most, and whether to flip pairs too. */
  sweeps: u32;
  pairs: u32;
  /**
   * Mean field: `startCount` starts of `free` floats each, the curvature of each unit, the first temperature.
   */
  starts: u32;
  startCount: u32;
  bends: u32;
  hot: f32;
  /** What the temperature is multiplied by after each step. */
  cooling: f32;
  /** The code that a row has counts as one of the candidates. */
  keep: u32;
  /** Quadratic models a start, and for each of them stretches of so many probing flips. */
  expansions: u32;
  stretches: u32;
  probes: u32;
  /** Scratch memory of thread 0, and how much of it each thread has. */
  scratch: u32;
  scratchSize: u32;
  tolerance64: f64;
  radius64: f64;
  /** Ends of the scores between which Psi bends, Psi there, and its slopes just inside; see wells.ts. */
  from: f64;
  to: f64;
  psiFrom: f64;
  psiTo: f64;
  slopeFrom: f64;
  slopeTo: f64;
  /** Where the nodes are: `centre` + and - `scale` times those of the kernel. */
  centre: f64;
  scale: f64;
  /** The u between the two halves of the nodes of Psi*. */
  middle: f64;
  /** What the best reconstruction of a bit costs. */
  least: f64;
}

export const CODES: u32 = 0;
export const WEIGHTS: u32 = 1;

export const CROSS_ENTROPY: u32 = 0;
export const HAMMING: u32 = 1;
export const TABLE: u32 = 2;

// Sets.
export const NONNEGATIVE: u32 = 1;
export const SIMPLEX: u32 = 2;
export const BALL: u32 = 3;

// Kernels.
export const PACK: u32 = 0;
export const SOLVE: u32 = 1;
export const SOLVE_SUMS: u32 = 2;
export const REDUCE: u32 = 3;
export const ADAGRAD: u32 = 4;
export const MEASURE: u32 = 5;
export const DECODE: u32 = 6;
export const PROJECT: u32 = 7;
export const GRAM: u32 = 8;
export const POLISH: u32 = 9;
export const FLIP: u32 = 10;
export const FLIP_SUMS: u32 = 11;
export const ANNEAL: u32 = 12;
export const RELAX_SUMS: u32 = 13;
export const ENUMERATE: u32 = 14;
export const GRADIENT_SUMS: u32 = 15;
export const NEWTON: u32 = 16;
export const SLOPES: u32 = 17;

/** So many entries of a row, or of a bit, are many: a few stand for all of them where that is enough. */
export const WIDE: u32 = 8192;
/** Half of how many entries those are at most. */
export const SAMPLE: u32 = 2048;

/** Rows that one unit of packing takes. */
export const PACKED: u32 = 256;

import type { CodeSet } from '../encodings/encoding.ts';
import type { Loss } from '../losses/loss.ts';
import type { Rows } from '../rows/rows.ts';
import type { Bounds, Certificates, DualMove, PolishOptions, Slopes } from './proofs.ts';
import type { AnnealOptions, FlipOptions, RelaxOptions } from './true-bits.ts';
import type { WordCodes } from './word-codes.ts';

/**
 * The contract of an engine: the few fused operations that learning, encoding and decoding are made of.
 *
 * Everything is one convex problem seen from two sides. With scores m = a_k . z it reads
 *
 *     minimise over z   sum_k weight_k * (1/2) [ -x_k m_k + Psi(m_k) ]  +  (ridge/2) |z|^2
 *
 * - side 'codes'   (Prop. 2): z is the code e_i of one row,  a_k are the V rows of W,  x_k the row's entries;
 * - side 'weights' (Thm. 1): z is the weight vector w_v of one bit, a_k are the n codes, x_k the bit's
 *   column, weight_k = 1/n. The sum is then the bitwise slack gamma with B = X E^T / n, halved.
 *
 * Entries that are missing have weight 0 on both sides. Results do not depend on the number of threads.
 *
 * An operation's promise resolves when later calls see its result; a device may still be computing then.
 *
 * Matrices are row-major float32: W is V x width, E is n x width. `width` is H, or H + 1 with a bias unit:
 * its code is the constant 1, its column the last one, and it is never moved by side 'codes' nor touched by
 * ridge.
 */
export interface Engine {
  readonly name: string;
  readonly threads: number;
  /** Whether the engine works: false after it was closed or one of its threads has died. */
  readonly usable: boolean;
  /**
   * Whether the engine takes Newton's steps for this loss and so many units, and proves weights by `bounds`
   * or `slopes`. If so, learning ends with rounds of second order.
   */
  newtonian(loss: Loss, H: number): boolean;
  /** The number of rows that keep the engine busy, and so the best size of pieces of long tables. */
  readonly rowsAtOnce: number;
  /**
   * Products of numbers (batch x V x H) in a minibatch that take almost no time. Default: what two cores do.
   */
  readonly littleWork?: number;
  /**
   * An engine that does nothing and answers 0, but has the programs compiled that the same operations will
   * need here, while this one is at work. Absent where nothing is compiled.
   */
  rehearsal?(): Engine;
  /** Storage for `length` float32 numbers, initially 0. */
  floats(length: number): Floats;
  /** Storage for `length` running means. */
  running(length: number): Running;
  /** Copies rows into the engine. */
  load(rows: Rows): Block;
  /**
   * Room for n rows of V bits, which are put there a few at a time. Without it, tables that are too large for
   * memory are read again in each epoch.
   */
  blank?(n: number, V: number): OpenBlock;

  /** Minimises the problem of each item (row or bit) in the range; see `SolveOptions`. */
  solve(side: Side, at: Point, options: SolveOptions): Promise<void>;
  /** Steps of the paper's own method: Adagrad on each item, the accumulators kept between calls. */
  adagrad(side: Side, at: Point, options: AdagradOptions): Promise<void>;
  /** Forms, factors and solves the Newton system of each item at its current point; see `NewtonOptions`. */
  newton(side: Side, at: Point, options: NewtonOptions): Promise<void>;
  /** Loss and Frank-Wolfe gap of each row at its current code, in float32. */
  measure(at: Point, out: Measures): Promise<void>;
  /** Gradients of the loss in codes and in weights at the current codes, in one pass; see `Gradients`. */
  gradients(at: Point, out: Gradients): Promise<void>;
  /**
   * Loss, gradient and a dual point of each item at its current point, in float64: the basis of proofs; see
   * `Slopes`. On side 'weights', `bits` asks for these bits instead of a range.
   */
  slopes(side: Side, at: Point, moved?: DualMove, bits?: Int32Array): Promise<Slopes>;
  /**
   * How far the weights of bits can be from the best ones; see `Bounds`. Only for engines that prove it in
   * float32: with other engines the caller computes it from `slopes`. Without `floors` only the objectives
   * are computed.
   */
  bounds?(at: Point, ridge: number, floors: boolean): Promise<Bounds>;
  /**
   * Float64 projected Newton steps on the codes of the range until each is certified; see `PolishOptions`.
   */
  polish(at: Point, options: PolishOptions): Promise<Certificates>;
  /** Coordinate flips on codes of true bits until no single flip lowers the loss; see `FlipOptions`. */
  flip(at: Point, options: FlipOptions): Promise<void>;

  /** Codes of true bits by annealed mean field, the best of several starts; see `AnnealOptions`. */
  anneal(at: Point, options: AnnealOptions): Promise<void>;
  /**
   * Mean-field steps on the parameters of random bits, and the gradient of their expected loss; see
   * `RelaxOptions`.
   */
  relax(at: Point, options: RelaxOptions): Promise<void>;
  /** The best of all 2^H codes of true bits of each row, H <= 16; `losses` are indexed like the rows. */
  enumerate(at: Point, losses?: Floats): Promise<void>;

  /**
   * Vectors of numbers (n x V) whose codes name words. Only the GPU engine has programs for them; otherwise
   * threads of the room `vectors` do the work.
   */
  wordCodes?(vectors: Float32Array, V: number, halves: number): WordCodes;

  /** Decodes the codes of the range to scores or reconstructions in [-1, 1], row after row. */
  decode(at: Place, what: 'scores' | 'transfer'): Promise<Float32Array>;
  /** A^T diag(weights) A for a matrix A of `count` x `width`, in float64. */
  gram(A: Floats, count: number, width: number, weights?: Floats): Promise<Float64Array>;
  /** Y = X A, for A of V x width: n x width. Missing entries count as 0. */
  project(block: Block, A: Floats, width: number, Y: Floats): Promise<void>;
  /** A = X^T Y, for Y of n x width: V x width. With Y = E this is n B. Missing entries count as 0. */
  correlate(block: Block, Y: Floats, width: number, A: Floats): Promise<void>;
  /** One Adam step on `at`, with the L1 proximal step if asked for. */
  adam(at: Floats, gradient: Floats, moments: Moments, options: AdamOptions): void;
  /**
   * out (H x H) = (W^T diag(bends) W + ridge)^-1 on the units of W: the inverse of the mean Hessian of codes.
   */
  precondition(W: Floats, shape: Shape, bends: Running, ridge: number, out: Floats): Promise<void>;

  /**
   * The same engine, for work that a signal may end. Once the signal aborts, operations called through it
   * soon reject with its reason, and the results of an interrupted operation must not be used.
   */
  until(signal: AbortSignal): Engine;
  /** For long work outside the engine: gives the event loop a turn if due, and rejects as operations do. */
  turn(): Promise<void>;

  /** Frees the memory and ends the threads. The engine cannot be used afterwards. */
  close(): Promise<void>;
}

/**
 * Float32 numbers that belong to an engine, which may keep them on a device. Reads and writes copy. A read
 * returns the results of all operations before it, and on a device it waits for them, so that learning reads
 * nothing between two minibatches.
 */
export interface Floats {
  readonly length: number;
  read(start?: number, end?: number): Promise<Float32Array>;
  write(values: ArrayLike<number>, start?: number): void;
  fill(value: number, start?: number, end?: number): void;
  free(): void;
}

/** Storage that holds these numbers. */
export function floatsOf(engine: Pick<Engine, 'floats'>, values: ArrayLike<number>): Floats {
  const floats = engine.floats(values.length);
  floats.write(values);
  return floats;
}

/** Running means that belong to an engine, in float64. */
export interface Running {
  read(): Promise<Float64Array>;
  write(values: ArrayLike<number>): void;
  free(): void;
}

/** Rows that belong to an engine. */
export interface Block {
  readonly n: number;
  readonly V: number;
  free(): void;
}

/** Rows of bits that come a few at a time, so that they are never all in memory besides. */
export interface OpenBlock extends Block {
  /** Puts row i at place `places[i]`. Every place has to be filled before the block is worked on. */
  put(rows: Rows, places: ArrayLike<number>): void;
  /** The rows from one place to another, copied out. */
  copy(start: number, end: number): Rows;
}

export type Side = 'codes' | 'weights';

export interface Shape {
  readonly V: number;
  readonly H: number;
  /** Whether the last of the `width` = H + 1 columns is the bias unit. */
  readonly bias: boolean;
}

/**
 * The number of columns from which a table is wide. Learning then relies on steps of second order, which a
 * sample of the entries steers (docs/notes/wide.md).
 */
export const WIDE = 8192;

/** The length of a code, or of a bit's weights: H, and one more with a bias unit. */
export function widthOf({ H, bias }: Pick<Shape, 'H' | 'bias'>): number {
  return bias ? H + 1 : H;
}

/** Items start to end (end excluded). */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Both factors and the items to work on: everything that decoding needs. */
export interface Place {
  readonly shape: Shape;
  readonly W: Floats;
  readonly E: Floats;
  /** The row of E for item 0, because the codes of all blocks of a large set share one buffer. */
  readonly offset?: number;
  /** Rows (side 'codes', and decoding) or bits (side 'weights'). Default: all. */
  readonly range?: Range;
  readonly loss: Loss;
}

/** The rows of E that a place refers to. */
export function codesOf({ range, offset = 0, E, shape }: Place): Range {
  return range ?? { start: 0, end: E.length / widthOf(shape) - offset };
}

/** The current point of a problem: the rows and both factors. */
export interface Point extends Place {
  readonly block: Block;
  /** Weight of each column (V), on both sides. Default 1. */
  readonly columnWeights?: Floats;
  /** Weight of each row of the block (n), on side 'weights' and in sums over rows. Default 1. */
  readonly rowWeights?: Floats;
}

/**
 * Preconditioned nonlinear conjugate gradients (Polak-Ribiere, restarted when it fails to descend), each item
 * with its own line search along the scores: m + a (A d) costs one product, its slope and curvature are sums
 * over k.
 */
export interface SolveOptions {
  /** The most steps per item. */
  readonly steps: number;
  /**
   * An item is done when its expected decrease falls below this many nats (per row; side 'weights': in the
   * mean).
   */
  readonly tolerance: number;
  /** About the inverse Hessian, symmetric, free x free; free = H for codes, width for weights. */
  readonly inverseHessian: Floats;
  /**
   * Side 'codes': steps begin at codes that are linear in the rows, instead of at those of the point:
   *
   *     e = inverseHessian W^T diag(linear) ( c x - b ),        b_v the weight of the bias unit, c = LINEAR
   *
   * If the inverse is that of W^T diag(linear) W, these scores come closest to c x, where entry v counts
   * `linear` (V numbers). Missing entries are left out.
   */
  readonly linear?: Floats;
  readonly ridge: number;
  /** Codes stay within [-radius, radius]; default Infinity. */
  readonly radius?: number;
  /** Side 'codes': codes stay in this set instead, of size `radius`. */
  readonly set?: CodeSet;
  /** Loss of each item after its steps, indexed like the items. */
  readonly losses?: Floats;
  /** Side 'codes' only: receives the sums over the range that the W step needs. */
  readonly sums?: Sums;
}

/**
 * Sums over the rows of a range at their final codes; reduced in an order that does not depend on threads.
 */
export interface Sums {
  /**
   * Sum over rows of (1/2) (Psi'(m_v) - x_v) e: V x width. Divided by n it is the gradient of the loss in W.
   */
  readonly gradient: Floats;
  /** Sum over rows of (1/2) Psi''(m_v): V. */
  readonly curvature: Floats;
  /**
   * Running means of the curvature over rows, which move a `share` of the way to the mean over this range.
   */
  readonly running?: { readonly means: Running; readonly share: number };
}

export interface AdagradOptions {
  readonly steps: number;
  readonly rate: number;
  /** Running sums of squared gradients, like E or W in shape. */
  readonly accumulators: Floats;
  readonly radius?: number;
}

/**
 * Newton's system of one item, with g the gradient of its problem (ridge counted) at z, in float32:
 *
 *     ( A^T diag(c) A + ridge ) d = -g,        c_k = weight_k Psi''(m_k) / 2
 *
 * The diagonal is raised by a ten-thousandth of itself first, because float32 cannot tell less from rounding.
 * A coordinate without curvature in float32 (Psi'' below 1e-7 is lost) has d = 0. Losses whose Psi has kinks,
 * like Hamming's, have no such system and are refused. If items are only moved, an engine may compute the
 * system of an item with many entries from a sample of them.
 */
export interface NewtonOptions {
  readonly ridge: number;
  /** The steps d, items x width; 0 for the bias unit on side 'codes', which does not move. */
  readonly directions?: Floats;
  /** -g . d of each item, 0 or more: twice the gain that the quadratic model predicts for the step. */
  readonly decrements?: Floats;
  /** Whether items move along d, with a line search that never raises an objective. Default: no. */
  readonly move?: boolean;
  /** Loss of each item at its final point, indexed like the items. */
  readonly losses?: Floats;
}

export interface Measures {
  /** Loss of each row of the range, at its index in the block. */
  readonly losses?: Floats;
  /**
   * sum_h ( g_h e_h + r |g_h| ) for the loss's gradient g: an upper bound on the gain of any other code in
   * the box.
   */
  readonly gaps?: Floats;
  /**
   * r, the radius of the box (default: 1). A row whose code lies outside is measured over the smallest box
   * that holds it.
   */
  readonly radius?: number;
}

/** The gradients that an outer parameter needs, such as the weights of an encoder network. */
export interface Gradients {
  /**
   * Gradient of each row's loss in its code, n x width like a block's E; 0 for the bias unit, which does not
   * move.
   */
  readonly codes?: Floats;
  /** Sum over the rows of the range of the gradient in W, V x width: `Sums.gradient`; overwritten. */
  readonly weights: Floats;
  /** Loss of each row of the range, at its index in the block. */
  readonly losses?: Floats;
}

export interface Moments {
  readonly first: Floats;
  readonly second: Floats;
}

/**
 * The price of a weight that must not exist: more than any gradient, and finite, so that no step makes it
 * NaN.
 */
export const FORBIDDEN = 2 ** 100;

export interface AdamOptions {
  readonly rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  /** Counts from 1. */
  readonly step: number;
  /** The gradient is scaled by this before use (1/n for a sum over n rows). */
  readonly scale: number;
  readonly width: number;
  /** Columns that the ridge leaves alone start here (H with a bias unit). */
  readonly free: number;
  readonly ridge: number;
  /**
   * The price of each weight's size, like `at` in shape: (eps_v / 2) |w| (App. C.1), by a proximal step of
   * the same per-entry length. A weight at zero whose price is `FORBIDDEN` stays there.
   */
  readonly prices?: Floats;
}

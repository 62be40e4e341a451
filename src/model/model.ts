import { encodingOf, setOf } from '../encodings/by-name.ts';
import type { EncodingName } from '../encodings/encoding.ts';
import { type Engine, widthOf } from '../engine/engine.ts';
import { enter, type Where, withEngine } from '../engine/scope.ts';
import type { Loss } from '../losses/loss.ts';
import type { Calibration } from '../promises/calibration.ts';
import { ceilingOf } from '../promises/ceiling.ts';
import { type Asked, type Promised, promise } from '../promises/promise.ts';
import type { SameSource } from '../promises/same-source.ts';
import type { ColumnGroup } from '../rows/about.ts';
import type { Bytes } from '../rows/bytes.ts';
import { type RowsInput, readRows, readSource } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import type { TableSchema } from '../rows/schema.ts';
import type { Seen } from '../rows/seen.ts';
import type { RowSource } from '../rows/source.ts';
import { checkedRowWeights } from '../rows/weights.ts';
import { withBias } from '../solvers/codes.ts';
import { createEncoder } from '../solvers/create-encoder.ts';
import { type Encoded, Preconditioners } from '../solvers/encode.ts';
import type { Effort } from '../solvers/encode-bits.ts';
import type { Neighbours } from '../solvers/neighbours.ts';
import { chooseShrink, type Shrink, type ShrinkOptions } from '../solvers/shrink.ts';
import type { HistoryEntry, Stopped } from '../training/loop/history.ts';
import { paced } from '../training/loop/pace.ts';
import { checkExclusions } from '../training/refusals.ts';
import type { Autoencoder } from './autoencoder.ts';
import { checkCodes } from './check-codes.ts';
import { checkRows } from './check-rows.ts';
import { escapedRows, withEscapes } from './escape.ts';
import { evaluateSource } from './evaluate.ts';
import { writeModel } from './file/write.ts';
import { type Drift, type Guarantee, worstCase } from './guarantee.ts';
import { type Restoring, unmask } from './restore.ts';

/** The parts of a model: everything that its file holds. */
export abstract class ModelParts {
  declare readonly V: number;
  declare readonly H: number;
  declare readonly encoding: EncodingName;
  declare readonly bias: boolean;
  /** The reconstruction loss. */
  declare readonly reconstructionLoss: Loss;
  /** Decoding weights, V x width; width is H, or H + 1 with the bias in the last column. */
  declare readonly W: Float32Array;
  /** The correlations remembered from the training data, X E^T / n: V x width. */
  declare readonly B: Float32Array;
  /** Second moments of the training codes, E E^T / n, including the bias unit's 1; further learning needs them. */
  declare readonly moments?: Float32Array;
  declare readonly curvature: Float32Array;
  declare readonly radius: number;
  /** V x H of 0 and 1: the pairs whose correlations are used and whose weights exist. Absent: all (Sec. 4.1). */
  declare readonly chosen?: Uint8Array;
  /** The weight of an entry of each column; 1 if absent. Codes and losses use these weights. */
  declare readonly columnWeights?: Float32Array;
  /**
   * Codes of bits: what scores are multiplied by when codes are searched by the likelihood of a row, chosen by the
   * neighbours of held-out rows if there are any. See docs/search.md.
   */
  declare readonly temperature?: number;
  /** For models learned from noisy rows: how codes decode to the rows before the noise. */
  declare readonly restoring?: Restoring;
  declare readonly training: TrainingRecord;
  /** Names of the columns, if the data had them. */
  declare readonly columns?: readonly string[];
  /** Groups of columns that are the values of one category, if the data had any. */
  declare readonly groups?: readonly ColumnGroup[];
  /** Height and width of a row, if it is a picture. */
  declare readonly image?: { readonly height: number; readonly width: number };
  /** How the training rows were read, if they came from a file. */
  declare readonly schema?: TableSchema;
  /** Losses of rows that took no part in learning, from `calibrate`. */
  declare readonly calibration?: Calibration;
  /** How other columns predict a missing entry beyond the code; `impute` uses them. */
  declare readonly neighbours?: Neighbours;

  constructor(parts: ModelParts) {
    Object.assign(this, parts);
  }
}

/** How a model was learned. */
export interface TrainingRecord {
  /** 'decoder': only the decoding layer was learned, for codes that were given. */
  readonly algorithm: 'fast' | 'paper' | 'paper-text' | 'decoder';
  readonly n: number;
  /** Mean training loss; with exact correlations it is the slack, the worst-case bound of Thm. 1. */
  readonly loss: number;
  /** After `partialFit`: the slack is proven to be at most this, and `loss` is an estimate of it. */
  readonly bound?: number;
  /** Mean certified gap of the training codes; absent if codes were given. */
  readonly meanGap?: number;
  readonly seed: number;
  readonly ridge: number;
  /** eps_v: how far correlations were allowed to be from B (App. C.1), one number, or one per bit. */
  readonly l1: number | readonly number[];
  /**
   * No other weights are better by more than this for the codes that W was last fitted to, including the cost of their
   * size (ridge or l1). Absent if it was not proven.
   */
  readonly weightGap?: number;
  /** No other weights have a worst case for B that is lower by more than this (Thm. 1). Absent if it was not proven. */
  readonly slackGap?: number;
  readonly epochs: number;
  readonly seconds: number;
  readonly stopped: Stopped;
  readonly converged: boolean;
  readonly history: readonly HistoryEntry[];
  /** A sketch of the training rows, by which they are recognised. */
  readonly seen?: Seen;
}

export interface EncodeOptions extends Where {
  /** Each code is proven to be within this many nats of its optimum. Default 0.01. */
  readonly tolerance?: number;
  /** Codes of bits: how hard to search. 'exhaustive' tries all codes, for H up to 16. */
  readonly effort?: Effort;
  /** Codes of bits: solve each row's relaxation to the box too, for the tightest gap it can prove. Default false. */
  readonly bound?: boolean;
  /** Codes of bits: fixes the random starts of the search. Default 1. */
  readonly seed?: number;
  /**
   * Adds (shrink/2) |e|^2 to a row's loss when its code is found: for codes that predict unknown entries (`impute`,
   * `chooseShrink`). Losses and gaps are those of the loss alone. Default 0.
   */
  readonly shrink?: number;
  /**
   * A code that describes its row worse than even odds becomes NaN, which `decode` reads as even odds: no row then
   * costs more than `ceiling()`. Losses include the cost of this, 0.001 nats for all other rows. Default false.
   */
  readonly escape?: boolean;
  /** Called with the share of rows done, a few times per second, and with 1 at the end. */
  readonly onProgress?: (fraction: number) => void;
}

export interface DecodeOptions extends Where {
  /**
   * Scores are capped at this size, in both directions: for codes of rows that may have changed since. Default: no cap.
   */
  readonly cap?: number;
}

export interface EvaluateOptions extends EncodeOptions {
  /** Box codes: draw bits from each code this many times and report their expected loss. Default: none. */
  readonly draws?: number;
  /** The weight of each row in the means; default 1. */
  readonly rowWeights?: ArrayLike<number>;
  /**
   * Rows to compare the reconstructions with instead of those that are encoded, such as the clean versions of noisy
   * rows.
   */
  readonly against?: RowsInput;
}

/**
 * How well rows are reconstructed, each from its own optimal code. Means over rows, in the unit of the loss. A model
 * that restores noisy rows is judged by its restored rows only if `against` is given; otherwise by how its codes
 * reconstruct the given rows.
 */
export interface LossReport {
  readonly n: number;
  readonly loss: number;
  /**
   * For bounded losses, the mean loss of the reconstructions. `loss` is the convex function that codes minimise, which
   * is larger if scores are beyond the range of the loss. Absent for other losses, where the two are the same.
   */
  readonly decodedLoss?: number;
  /** The mean loss with the escape, which promises are about: no row counts for more than the model's ceiling. */
  readonly lossWithEscape: number;
  /** Rows whose code escapes to even odds. */
  readonly escaped: number;
  /** Whether these rows may come from the source of the calibration rows, if the model is calibrated. */
  readonly sameSource?: SameSource;
  /** The mean over all known entries. */
  readonly lossPerBit: number;
  /**
   * The worst case over all data with these codes and each correlation no further from B than these rows' (App. C.1).
   * Infinity for a model that restores noisy rows and is measured against others, about which B promises nothing.
   */
  readonly bound: number;
  /** The largest difference of a correlation of these rows from the remembered one. */
  readonly drift: number;
  readonly gap: { readonly mean: number; readonly max: number };
  /** Mean number of bits that the rounded reconstruction gets wrong; like the loss, of the rows compared with. */
  readonly hamming: number;
  /** The tolerance that the gap of every row had to reach. */
  readonly tolerance: number;
  /** Rows whose code could not be certified to the tolerance; their gaps say how far they got. */
  readonly uncertified: number;
  /** Codes of bits: no code improves by flipping up to this many bits at once (1, 2, or H if all codes were tried). */
  readonly flipOptimal?: number;
  /** Box codes, with `draws`: the loss expected of bits drawn from them, and its standard error. */
  readonly randomised?: { readonly loss: number; readonly standardError: number; readonly draws: number };
}

/** A learned pairwise-correlation autoencoder. It never changes; further learning makes a new one. */
export class PCAE extends ModelParts implements Autoencoder {
  /** Codes of the training rows, n x H, right after learning; files do not keep them. */
  readonly trainingCodes?: Float32Array;
  readonly #preconditioners = new WeakMap<Engine, Preconditioners>();

  constructor(parts: ModelParts & { readonly trainingCodes?: Float32Array }) {
    super(parts);
    this.trainingCodes = parts.trainingCodes;
  }

  /** The optimal code of each row (Prop. 2), with its loss and the proof of how good it is. */
  async encode(rows: RowsInput, options: EncodeOptions = {}): Promise<Encoded> {
    const source = await readSource(rows, 'rows', this.schema, options.signal);
    const { n } = source;
    const codes = new Float32Array(n * this.H);
    const losses = new Float64Array(n);
    const gaps = new Float64Array(n);
    const flipOptimal = encodingOf(this.encoding).discrete ? new Uint8Array(n) : undefined;
    let done = 0;
    const told = paced(options.onProgress);
    for await (const part of this.encodeSource(source, options)) {
      codes.set(part.codes, done * this.H);
      losses.set(part.losses, done);
      gaps.set(part.gaps, done);
      if (part.flipOptimal) flipOptimal?.set(part.flipOptimal, done);
      done += part.n;
      told(done / n);
    }
    return { n, H: this.H, codes, losses, gaps, flipOptimal };
  }

  /** The same piece by piece, in order, with only one piece of a source in memory. */
  async *encodeSource(
    rows: RowsInput,
    options: EncodeOptions = {},
  ): AsyncGenerator<Encoded & { rows: Rows }> {
    const { tolerance = 0.01 } = options;
    const source = await readSource(rows, 'rows', this.schema, options.signal);
    this.#checkEncode(source, { ...options, tolerance });
    const { engine, release, base } = await enter(options);
    try {
      const decoder = { ...this.#decoder(), curvature: this.curvature };
      const kept = this.#preconditionersOn(base);
      const encoder = await createEncoder(engine, encodingOf(this.encoding), decoder, { ...options, kept });
      for await (const rows of source.chunks(ENCODE_ROWS)) {
        const encoded = { ...(await encoder.encode(rows, tolerance)), rows };
        checkNumbers(encoded.losses);
        yield options.escape ? withEscapes(encoded, this) : encoded;
      }
    } finally {
      release();
    }
  }

  /** Decodes codes (n x H) to reconstructions in [-1, 1], n x V (Thm. 1); of the rows before the noise, if any. */
  async decode(given: Float32Array, options: DecodeOptions = {}): Promise<Float32Array> {
    const { V, H, restoring } = this;
    const { codes, escaped } = escapedRows(given, H);
    checkCodes(codes, H, 'decode');
    const { cap = Number.POSITIVE_INFINITY } = options;
    if (!(cap >= 0)) throw new RangeError(`decode: cap must be a score of at least 0, got ${cap}`);
    const n = codes.length / H;
    const { shape, loss } = this.#decoder();
    const width = widthOf(shape);
    const out = new Float32Array(n * V);
    await withEngine(options, async (engine) => {
      const W = engine.floats(this.W.length);
      W.write(restoring && 'W' in restoring ? restoring.W : this.W);
      const E = engine.floats(Math.min(n, ENCODE_ROWS) * width);
      for (let start = 0; start < n; start += ENCODE_ROWS) {
        const end = Math.min(n, start + ENCODE_ROWS);
        E.write(withBias(codes.subarray(start * H, end * H), H, width));
        const range = { start: 0, end: end - start };
        out.set(await engine.decode({ W, E, shape, range, loss }, 'transfer'), start * V);
      }
    });
    for (const i of escaped) out.fill(loss.transfer(0), i * V, (i + 1) * V);
    if (restoring && 'mask' in restoring) return out.map((x) => unmask(x, restoring.mask));
    if (cap === Number.POSITIVE_INFINITY) return out;
    const [least, most] = [loss.transfer(-cap), loss.transfer(cap)];
    return out.map((x) => Math.max(least, Math.min(x, most)));
  }

  /** Rows encoded and decoded again: reconstructions in [-1, 1], n x V. */
  async reconstruct(rows: RowsInput, options: EncodeOptions = {}): Promise<Float32Array> {
    const { codes } = await this.encode(rows, options);
    return this.decode(codes, options);
  }

  /** Chooses how far to pull codes towards 0 to complete rows like these, by hiding and guessing known entries. */
  async chooseShrink(rows: RowsInput, options: ShrinkOptions & Where = {}): Promise<Shrink> {
    const call = 'chooseShrink';
    const checked = await readRows(rows, 'rows', this.schema, options.signal);
    this.#checkEncode(checked, { tolerance: 1, shrink: 1 }, call);
    const { hide = 0.1 } = options;
    if (!(hide > 0 && hide < 1))
      throw new RangeError(`${call}: hide must be a share between 0 and 1, got ${hide}`);
    const rowWeights = options.rowWeights && checkedRowWeights(options.rowWeights, checked.n, call);
    const decoder = { ...this.#decoder(), curvature: this.curvature };
    return withEngine(options, (engine) =>
      chooseShrink(engine, decoder, checked, { hide, rowWeights, groups: this.groups }),
    );
  }

  /** Codes alone, as scikit-learn's users know it. */
  async transform(rows: RowsInput, options: EncodeOptions = {}): Promise<Float32Array> {
    return (await this.encode(rows, options)).codes;
  }

  /** The mean reconstruction loss of the rows, each at its own optimal code. */
  async loss(rows: RowsInput, options: EncodeOptions = {}): Promise<number> {
    const { losses } = await this.encode(rows, options);
    return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
  }

  /** Mean loss, bound and gap over rows or a source, each row at its own optimal code. */
  async evaluate(rows: RowsInput, options: EvaluateOptions = {}): Promise<LossReport> {
    return evaluateSource(this, await readSource(rows, 'rows', this.schema, options.signal), options);
  }

  /**
   * The worst-case loss that the remembered correlations guarantee (Thm. 1): on any data whose correlations with
   * the codes equal B, or differ from it by at most `drift` (App. C.1).
   */
  guarantee(drift: Drift = 0): Guarantee {
    return worstCase(this, drift);
  }

  /**
   * What the model promises about new rows, by its calibration:
   *
   *     (await calibrate(model, otherRows)).promise({ of: 'mean' }).statement
   */
  promise(asked: Asked): Promised {
    const ceiling = this.ceiling();
    if (!this.calibration && asked.of !== 'ceiling') {
      throw new RangeError(
        `promise: this model has no calibration; calibrate(model, rows) gives it one, from rows that took no part in learning`,
      );
    }
    return promise(this, this.calibration ?? { n: 0, losses: new Float32Array(0), ceiling, seed: 1 }, asked);
  }

  /** The most that any row can cost, with the escape to even odds. */
  ceiling(): number {
    return ceilingOf(this);
  }

  /** The model as the bytes of a safetensors file. */
  save(): Bytes {
    return writeModel(this);
  }

  /** What encoding has found out about the model on an engine, kept as long as both are. */
  #preconditionersOn(engine: Engine): Preconditioners {
    const kept = this.#preconditioners.get(engine) ?? new Preconditioners();
    this.#preconditioners.set(engine, kept);
    return kept;
  }

  #decoder() {
    const { V, H, bias, W, reconstructionLoss, radius, columnWeights } = this;
    const set = setOf(encodingOf(this.encoding));
    return { shape: { V, H, bias }, W, loss: reconstructionLoss, radius, set, columnWeights };
  }

  #checkEncode(
    source: Pick<RowSource, 'V' | 'columns'>,
    options: EncodeOptions & { readonly tolerance: number },
    call = 'encode',
  ): void {
    checkRows(this, source, call);
    const { tolerance, effort, bound, shrink = 0 } = options;
    if (!(tolerance > 0))
      throw new RangeError(`${call}: tolerance must be more than 0 nats, got ${tolerance}`);
    if (!(shrink >= 0 && shrink < Number.POSITIVE_INFINITY))
      throw new RangeError(`${call}: shrink must be a number of at least 0, got ${shrink}`);
    if (options.escape && encodingOf(this.encoding).discrete)
      throw new RangeError(`${call}: escape is for codes of numbers; codes of bits have no room for it`);
    checkExclusions(call, { encoding: this.encoding, effort, bound, shrink });
  }
}

/** Rows encoded at a time: enough to keep every thread busy, little enough to stay small in memory. */
const ENCODE_ROWS = 4096;

/** Weights may be so large that nothing can be computed with them: better no codes than codes that are no numbers. */
function checkNumbers(losses: Float64Array): void {
  const wrong = losses.findIndex((loss) => !Number.isFinite(loss));
  if (wrong < 0) return;
  throw new RangeError(
    `encode: the loss of a row comes out as ${losses[wrong]}: the model's weights are too large to compute with`,
  );
}

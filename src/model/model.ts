import { encodingOf, setOf } from '../encodings/by-name.ts';
import { type Engine, floatsOf, widthOf } from '../engine/engine.ts';
import { enter, type Where, withEngine } from '../engine/scope.ts';
import { ceilingOf } from '../promises/ceiling.ts';
import { type Asked, checkAsked, type Promised, promise } from '../promises/promise.ts';
import type { Bytes } from '../rows/bytes.ts';
import { isSource, type RowsInput, readRows, readRowsOrSource, readSource } from '../rows/input.ts';
import { type Rows, rowBytes } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { sum } from '../rows/sum.ts';
import { checkedRowWeights } from '../rows/weights.ts';
import { withBias } from '../solvers/codes.ts';
import { createEncoder } from '../solvers/create-encoder.ts';
import { type Encoded, Preconditioners } from '../solvers/encode.ts';
import type { Shrink, ShrinkOptions } from '../solvers/shrink.ts';
import { checksFor } from '../training/checks.ts';
import { paced } from '../training/loop/pace.ts';
import { checkExclusions } from '../training/refusals.ts';
import type {
  Autoencoder,
  DecodeOptions,
  EncodeOptions,
  EvaluateOptions,
  LossReport,
} from './autoencoder.ts';
import { checkCodes, codesOf } from './check-codes.ts';
import { checkRows } from './check-rows.ts';
import { escapedRows, withEscapes } from './escape.ts';
import { refusePath } from './file/refuse-path.ts';
import { writeModel } from './file/write.ts';
import { type Drift, type Guarantee, worstCase } from './guarantee.ts';
import { ModelParts } from './parts.ts';
import { unmask } from './restore.ts';

/** A learned pairwise-correlation autoencoder. It never changes; further learning makes a new one. */
export class PCAE extends ModelParts implements Autoencoder {
  /** Codes of the training rows, n x H, right after learning; files do not keep them. */
  readonly trainingCodes?: Float32Array;
  readonly #preconditioners = new WeakMap<Engine, Preconditioners>();

  constructor(parts: ModelParts & { readonly trainingCodes?: Float32Array }) {
    super(parts);
    this.trainingCodes = parts.trainingCodes;
  }

  /**
   * The optimal code of each row (Prop. 2), with its loss and a proven bound on how far it is from the
   * optimum.
   */
  async encode(rows: RowsInput, options: EncodeOptions = {}): Promise<Encoded> {
    const known = await readRowsOrSource(rows, this.schema, options.signal);
    const { n } = known;
    const report = paced(options.onProgress);
    if (!isSource(known) && n <= ENCODE_ROWS) {
      const encoded = await this.#encodeOnce(known, options);
      report(1);
      return encoded;
    }
    const codes = new Float32Array(n * this.H);
    const losses = new Float64Array(n);
    const gaps = new Float64Array(n);
    const flipOptimal = encodingOf(this.encoding).discrete ? new Uint8Array(n) : undefined;
    let done = 0;
    for await (const part of this.encodeSource(known, options)) {
      codes.set(part.codes, done * this.H);
      losses.set(part.losses, done);
      gaps.set(part.gaps, done);
      if (part.flipOptimal) flipOptimal?.set(part.flipOptimal, done);
      done += part.n;
      report(done / n);
    }
    return { n, H: this.H, codes, losses, gaps, flipOptimal };
  }

  /** The same piece by piece, in order, with only one piece of a source in memory. */
  async *encodeSource(
    rows: RowsInput,
    options: EncodeOptions = {},
  ): AsyncGenerator<Encoded & { rows: Rows }> {
    const source = await readSource(rows, this.schema, options.signal);
    const { encode, most, release } = await this.#encoding(source, options);
    try {
      for await (const rows of source.chunks(most)) yield { ...(await encode(rows)), rows };
    } finally {
      release();
    }
  }

  /** Encodes a single piece of rows without the overhead of pieces, which matters for single rows. */
  async #encodeOnce(rows: Rows, options: EncodeOptions): Promise<Encoded> {
    const { encode, release } = await this.#encoding(rows, options);
    try {
      return await encode(rows);
    } finally {
      release();
    }
  }

  /**
   * An encoder for the pieces of a source, and the most rows it takes at a time. Call `release` in a
   * `finally`.
   */
  async #encoding(source: Pick<RowSource, 'V' | 'columns'>, options: EncodeOptions) {
    const { tolerance = 0.01 } = options;
    this.#checkEncode(source, { ...options, tolerance });
    const { engine, release, base } = await enter(options);
    try {
      const kept = this.#preconditionersOn(base);
      const encoding = encodingOf(this.encoding);
      const encoder = await createEncoder(engine, encoding, this.#decoder(), { ...options, kept });
      const encode = async (rows: Rows) => {
        const encoded = await encoder.encode(rows, tolerance);
        checkNumbers(encoded.losses);
        return options.escape ? withEscapes(encoded, rows, this) : encoded;
      };
      const most = Math.min(engine.rowsAtOnce, Math.max(ENCODE_ROWS, PIECE_BYTES / rowBytes(source.V)));
      return { encode, most: Math.floor(most), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Decodes codes (n x H) to reconstructions in [-1, 1], n x V (Thm. 1); of clean rows, if noise was learned.
   */
  async decode(given: ArrayLike<number>, options: DecodeOptions = {}): Promise<Float32Array> {
    options.signal?.throwIfAborted();
    const { V, H, restoring } = this;
    const { codes, escaped } = escapedRows(codesOf(given), H);
    checkCodes(codes, H, 'decode');
    const { cap = Number.POSITIVE_INFINITY } = options;
    if (!(cap >= 0)) throw new RangeError(`decode: cap must be a score of at least 0, got ${cap}`);
    const n = codes.length / H;
    const { shape, loss } = this.#decoder();
    const width = widthOf(shape);
    const out = new Float32Array(n * V);
    await withEngine(options, async (engine) => {
      const W = floatsOf(engine, restoring && 'W' in restoring ? restoring.W : this.W);
      const E = engine.floats(Math.min(n, ENCODE_ROWS) * width);
      for (let start = 0; start < n; start += ENCODE_ROWS) {
        const end = Math.min(n, start + ENCODE_ROWS);
        E.write(withBias(codes.subarray(start * H, end * H), H, width));
        const range = { start: 0, end: end - start };
        out.set(await engine.decode({ W, E, shape, range, loss }, 'transfer'), start * V);
      }
    });
    for (const i of escaped) out.fill(loss.transfer(0), i * V, (i + 1) * V);
    const clean = restoring && 'mask' in restoring ? out.map((x) => unmask(x, restoring.mask)) : out;
    if (cap === Number.POSITIVE_INFINITY) return clean;
    const least = loss.transfer(-cap);
    const most = loss.transfer(cap);
    return clean.map((x) => Math.max(least, Math.min(x, most)));
  }

  /** Rows encoded and decoded again: reconstructions in [-1, 1], n x V. */
  async reconstruct(rows: RowsInput, options: EncodeOptions = {}): Promise<Float32Array> {
    const { codes } = await this.encode(rows, options);
    return this.decode(codes, options);
  }

  /**
   * Chooses how far to pull codes towards 0 to complete rows like these, by hiding and guessing known
   * entries.
   */
  async chooseShrink(rows: RowsInput, options: ShrinkOptions & Where = {}): Promise<Shrink> {
    const call = 'chooseShrink';
    const checked = await readRows(rows, 'rows', this.schema, options.signal);
    this.#checkEncode(checked, { tolerance: 1, shrink: 1 }, call);
    const { hide = 0.1 } = options;
    checksFor(call).share('hide', hide);
    const rowWeights = options.rowWeights && checkedRowWeights(options.rowWeights, checked.n, call);
    const { chooseShrink } = await import('../solvers/shrink.ts');
    return withEngine(options, (engine) =>
      chooseShrink(engine, this.#decoder(), checked, { hide, rowWeights, groups: this.groups }),
    );
  }

  /** The codes alone, like scikit-learn's `transform`. */
  async transform(rows: RowsInput, options: EncodeOptions = {}): Promise<Float32Array> {
    return (await this.encode(rows, options)).codes;
  }

  /** The mean reconstruction loss of the rows, each at its own optimal code. */
  async loss(rows: RowsInput, options: EncodeOptions = {}): Promise<number> {
    const { losses } = await this.encode(rows, options);
    return sum(losses) / losses.length;
  }

  /** Mean loss, bound and gap over rows or a source, each row at its own optimal code. */
  async evaluate(rows: RowsInput, options: EvaluateOptions = {}): Promise<LossReport> {
    const { evaluateSource } = await import('./evaluate.ts');
    return evaluateSource(this, await readSource(rows, this.schema, options.signal), options);
  }

  /**
   * The worst-case loss that the remembered correlations guarantee (Thm. 1): on any data whose correlations
   * with the codes equal B, or differ from it by at most `drift` (App. C.1).
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
    checkAsked(asked);
    const ceiling = this.ceiling();
    if (!this.calibration && asked.of !== 'ceiling') {
      throw new RangeError(
        `promise: this model has no calibration; calibrate(model, rows) gives it one, from rows that took no part in learning`,
      );
    }
    return promise(this, this.calibration ?? { n: 0, losses: new Float32Array(0), ceiling, seed: 1 }, asked);
  }

  /** The largest loss that any row can have with the escape to even odds. */
  ceiling(): number {
    return ceilingOf(this);
  }

  /** The model as the bytes of a safetensors file. */
  save(...given: readonly never[]): Bytes {
    refusePath(given);
    return writeModel(this);
  }

  /** The preconditioners of the codes, kept as long as both the model and the engine exist. */
  #preconditionersOn(engine: Engine): Preconditioners {
    const kept = this.#preconditioners.get(engine) ?? new Preconditioners();
    this.#preconditioners.set(engine, kept);
    return kept;
  }

  #decoder() {
    const { V, H, bias, W, reconstructionLoss: loss, radius, curvature, columnWeights } = this;
    const set = setOf(encodingOf(this.encoding));
    return { shape: { V, H, bias }, W, loss, radius, set, curvature, columnWeights };
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
    checkExclusions(call, { encoding: this.encoding, effort, bound, shrink });
  }
}

/** Rows encoded at a time: enough to keep every thread busy, and few enough to need little memory. */
const ENCODE_ROWS = 4096;
/** A device may encode more rows at a time, up to this many bytes of bits. */
const PIECE_BYTES = 2 ** 26;

/** Refuses losses that are not finite, which come from weights that are too large to compute with. */
function checkNumbers(losses: Float64Array): void {
  const wrong = losses.findIndex((loss) => !Number.isFinite(loss));
  if (wrong < 0) return;
  throw new RangeError(
    `encode: the loss of a row comes out as ${losses[wrong]}: the model's weights are too large to compute with`,
  );
}

import { type Rows, takeRows } from '../../rows/rows.ts';
import type { Engine, Point, Range } from '../engine.ts';
import { floatsOf, widthOf } from '../engine.ts';
import type { Certificates, PolishOptions } from '../proofs.ts';
import { withEngine } from '../scope.ts';
import { unproven } from '../unproven.ts';
import { approach } from './approach.ts';
import { certify, provable } from './certify.ts';
import type { Tools } from './tools.ts';

/** The engine that finishes, in float64, the codes that float32 cannot prove; made when first needed. */
export class Processor {
  readonly #make: () => Promise<Engine>;
  #engine?: Promise<Engine>;

  constructor(make: () => Promise<Engine>) {
    this.#make = make;
  }

  engine(): Promise<Engine> {
    this.#engine ??= this.#make();
    return this.#engine;
  }

  async close(): Promise<void> {
    await (await this.#engine)?.close();
  }
}

/**
 * `Engine.polish`: steps until float32 sees nothing left to gain, then proofs in float32 that hold for the
 * float64 loss. Codes that remain unproven are finished in float64 on the processor, while the device works
 * on later rows. So are all codes of losses, entries and sets without such a proof.
 */
export async function polish(
  tools: Tools,
  processor: Processor | undefined,
  at: Point,
  options: PolishOptions,
): Promise<Certificates> {
  const range = at.range ?? { start: 0, end: at.block.n };
  const { tolerance, inverseHessian, rows } = options;
  const finish = new Finish(tools, processor, at, options);
  if (rows || !inverseHessian || options.set || !provable(tools, at)) {
    return finish.rows(
      rows ?? Int32Array.from({ length: range.end - range.start }, (_, i) => range.start + i),
    );
  }
  const all = {
    losses: new Float64Array(range.end - range.start),
    gaps: new Float64Array(range.end - range.start),
  };
  const pieces = cut(range);
  const launch = (piece: Range) => {
    const here = { ...at, range: piece };
    approach(tools, here, options);
    const launched = Promise.all([certify(tools, here, options), finish.codes(piece)]);
    // A failure is reported when this piece is awaited, which never happens if an earlier piece failed.
    launched.catch(() => {});
    return launched;
  };
  // Two pieces ahead: the device has work while this thread hands codes to the processor.
  const ahead = pieces.slice(0, AHEAD).map(launch);
  for (const [i, piece] of pieces.entries()) {
    if (i + AHEAD < pieces.length) ahead.push(launch(pieces[i + AHEAD]));
    const [{ losses, gaps }, codes] = await ahead[i];
    const open = unproven(gaps, tolerance);
    if (open.length > 0) {
      const proven = await finish.open(
        open.map((k) => piece.start + k),
        piece,
        codes,
      );
      open.forEach((k, j) => {
        losses[k] = proven.losses[j];
        gaps[k] = proven.gaps[j];
      });
    }
    all.losses.set(losses, piece.start - range.start);
    all.gaps.set(gaps, piece.start - range.start);
  }
  return all;
}

/** Cuts a range into pieces that keep a card busy, but are small enough for the processor to start soon. */
function cut({ start, end }: Range): Range[] {
  const count = Math.ceil((end - start) / PIECE);
  return Array.from({ length: count }, (_, i) => ({
    start: start + i * PIECE,
    end: Math.min(end, start + (i + 1) * PIECE),
  }));
}
const PIECE = 8192;
const AHEAD = 2;

/** Rows, W and the weights of columns. */
type Given = [Rows, Float32Array, Float32Array | undefined];

/** Codes that another engine finishes: rows, codes and weights go there, and codes come back. */
class Finish {
  readonly #tools: Tools;
  readonly #processor?: Processor;
  readonly #at: Point;
  readonly #options: PolishOptions;
  readonly #width: number;
  #given?: Promise<Given>;

  constructor(tools: Tools, processor: Processor | undefined, at: Point, options: PolishOptions) {
    this.#tools = tools;
    this.#processor = processor;
    this.#at = at;
    this.#options = options;
    this.#width = widthOf(at.shape);
  }

  /** Codes of any kind, of rows in any order. */
  async rows(rows: Int32Array): Promise<Certificates> {
    if (rows.length === 0) return zeros(0);
    const around = extremes(rows);
    return this.open(rows, around, await this.codes(around));
  }

  /** The codes of a range. The first call also reads all else that the processor will need. */
  codes({ start, end }: Range): Promise<Float32Array> {
    const { block, W, E, columnWeights, offset = 0 } = this.#at;
    if (!this.#given) {
      this.#given = Promise.all([this.#tools.block(block).read(), W.read(), columnWeights?.read()]);
      this.#given.catch(() => {});
    }
    return E.read((offset + start) * this.#width, (offset + end) * this.#width);
  }

  /** Finishes some rows of a range whose codes were read already. */
  async open(rows: Int32Array, around: Range, codes: Float32Array): Promise<Certificates> {
    const processor = this.#processor;
    if (!processor) return zeros(rows.length);
    const { shape, loss, offset = 0 } = this.#at;
    const width = this.#width;
    const [all, weights, columns] = (await this.#given) as Given;
    const own = new Float32Array(rows.length * width);
    rows.forEach((row, k) => {
      own.set(codes.subarray((row - around.start) * width, (row - around.start + 1) * width), k * width);
    });
    return withEngine({ engine: await processor.engine() }, async (engine) => {
      const block = engine.load(takeRows(all, Uint32Array.from(rows)));
      const [W, E] = [weights, own].map((values) => floatsOf(engine, values));
      const columnWeights = columns && floatsOf(engine, columns);
      const { inverseHessian: _, rows: __, ...plain } = this.#options;
      const proven = await engine.polish({ block, shape, W, E, loss, columnWeights }, plain);
      const polished = await E.read();
      rows.forEach((row, k) => {
        codes.set(polished.subarray(k * width, (k + 1) * width), (row - around.start) * width);
      });
      this.#at.E.write(codes, (offset + around.start) * width);
      return { losses: proven.losses.slice(), gaps: proven.gaps.slice() };
    });
  }
}

function zeros(rows: number): Certificates {
  return { losses: new Float64Array(rows), gaps: new Float64Array(rows) };
}

function extremes(rows: Int32Array): Range {
  let start = rows[0];
  let end = rows[0] + 1;
  for (const row of rows) {
    start = Math.min(start, row);
    end = Math.max(end, row + 1);
  }
  return { start, end };
}

import { takeRows } from '../../rows/rows.ts';
import type { Certificates, Engine, Floats, Point, PolishOptions } from '../engine.ts';
import { widthOf } from '../engine.ts';
import { certify, provable } from './certify.ts';
import { OwnInverses } from './own.ts';
import { piecesOf } from './panel.ts';
import { openSolve, solvePiece } from './solve.ts';
import { type Tools, touch } from './tools.ts';

/** The engine whose float64 finishes the codes that float32 cannot prove: made when there is a first one. */
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
 * `Engine.polish`: steps until float32 sees nothing left to gain, and proofs in float32 that hold for the float64 loss. Codes that stay open, and those of losses, entries and sets that there is no such proof for, are
 * finished in float64 on the processor.
 */
export async function polish(
  tools: Tools,
  processor: Processor,
  at: Point,
  options: PolishOptions,
): Promise<Certificates> {
  const range = at.range ?? { start: 0, end: at.block.n };
  const { tolerance, radius, inverseHessian, rows } = options;
  if (rows || !inverseHessian || options.set || !provable(tools, at)) {
    const chosen = rows ?? Int32Array.from({ length: range.end - range.start }, (_, i) => range.start + i);
    return onProcessor(tools, await processor.engine(), at, options, chosen);
  }
  approach(tools, at, options);
  const found = await certify(tools, at, range, radius);
  const open = Int32Array.from(found.gaps.keys()).filter((i) => !(found.gaps[i] <= tolerance));
  if (open.length > 0) {
    const numbers = open.map((i) => range.start + i);
    const proven = await onProcessor(tools, await processor.engine(), at, options, numbers);
    open.forEach((i, k) => {
      found.losses[i] = proven.losses[k];
      found.gaps[i] = proven.gaps[k];
    });
  }
  return found;
}

/**
 * Brings codes as close to their optimum as float32 can tell: a few steps with one preconditioner for all rows, then rounds of
 * steps in which each row has the inverse of its own Hessian, where there is room for that.
 */
function approach(tools: Tools, at: Point, { inverseHessian, tolerance, radius }: PolishOptions): void {
  const panel = openSolve(tools, 'codes', at);
  const shared = tools.use(inverseHessian as Floats, 'the numbers of inverseHessian', panel.free ** 2);
  const own = OwnInverses.open(tools, panel, tools.use(at.W, 'the numbers of W', at.W.length));
  const how = { tolerance: ENOUGH * tolerance, ridge: 0, ridged: 0, radius };
  const steps = own ? FIRST_STEPS : STEPS;
  for (const piece of piecesOf(tools, panel, Math.max(2 * steps + 2, panel.free / 2), own?.bytes)) {
    solvePiece(tools, panel, piece, { ...how, steps, inverse: shared.slab, own: false });
    for (let round = 0; own && round < ROUNDS; round++) {
      const inverse = own.find(piece, radius);
      solvePiece(tools, panel, piece, { ...how, steps: ROUND_STEPS, inverse, own: true });
    }
  }
  touch(panel.moved);
}

/** Steps of rows that have no preconditioner of their own; of the others before their first one, and in each round. */
const STEPS = 60;
const FIRST_STEPS = 20;
const ROUND_STEPS = 4;
const ROUNDS = 5;
/** A share of the tolerance that is not worth another step. */
const ENOUGH = 1e-5;

/** Polishes some rows on another engine: rows, codes and weights go there, and codes come back. */
async function onProcessor(
  tools: Tools,
  engine: Engine,
  at: Point,
  options: PolishOptions,
  rows: Int32Array,
): Promise<Certificates> {
  const { offset = 0, shape, loss } = at;
  const width = widthOf(shape);
  const [low, high] = extremes(rows);
  const first = (offset + low) * width;
  const codes = await at.E.read(first, (offset + high) * width);
  const block = engine.load(takeRows(await tools.block(at.block).read(), Uint32Array.from(rows)));
  const made = [block, ...[at.W.length, rows.length * width].map((length) => engine.floats(length))] as const;
  const columnWeights = at.columnWeights && engine.floats(at.columnWeights.length);
  try {
    const [, W, E] = made as unknown as [typeof block, typeof at.W, typeof at.E];
    W.write(await at.W.read());
    if (at.columnWeights) columnWeights?.write(await at.columnWeights.read());
    rows.forEach((row, k) => {
      E.write(codes.subarray((row - low) * width, (row - low + 1) * width), k * width);
    });
    const { inverseHessian: _, rows: __, ...plain } = options;
    const proven = await engine.polish({ block, shape, W, E, loss, columnWeights }, plain);
    const polished = await E.read();
    rows.forEach((row, k) => {
      codes.set(polished.subarray(k * width, (k + 1) * width), (row - low) * width);
    });
    at.E.write(codes, first);
    return { losses: proven.losses.slice(), gaps: proven.gaps.slice() };
  } finally {
    for (const used of made) used.free();
    columnWeights?.free();
  }
}

function extremes(rows: Int32Array): [number, number] {
  let [low, high] = [rows[0] ?? 0, (rows[0] ?? 0) + 1];
  for (const row of rows) [low, high] = [Math.min(low, row), Math.max(high, row + 1)];
  return [low, high];
}

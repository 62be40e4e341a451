import type { Floats, Point } from '../engine.ts';
import type { PolishOptions } from '../proofs.ts';
import { DESCRIBED } from './certify.ts';
import type { Buffers, Kernel } from './dispatcher.ts';
import { Gathered } from './gather.ts';
import { EACH, gridFor } from './grid.ts';
import { OwnHessians } from './own.ts';
import { piecesOf, type SomeRows } from './panel.ts';
import { openSolve, solvePiece } from './solve.ts';
import type { GpuFloats } from './storage.ts';
import { type Tools, touch } from './tools.ts';

/**
 * Brings codes as close to their optimum as float32 can: rounds of steps in which each row is preconditioned
 * by its own Hessian. More and more rows have nothing left to gain; those that have are gathered before some
 * of the rounds.
 */
export function approach(
  tools: Tools,
  at: Point,
  { inverseHessian, tolerance, radius }: PolishOptions,
): void {
  const panel = openSolve(tools, 'codes', at);
  const shared = tools.use(inverseHessian as Floats, 'the numbers of inverseHessian', panel.free ** 2).slab;
  const losses = tools.kept('losses on the way', panel.items);
  const how: Steps = {
    ...{ tolerance: ENOUGH * tolerance, ridge: 0, ridged: 0, radius, losses },
    described: DESCRIBED * tolerance,
  };
  // Scores and losses, which rounds begin with.
  const look = { ...how, steps: 0, inverse: shared };
  const own = new OwnHessians(tools, panel, 'codes', at);
  for (const piece of piecesOf(tools, panel, Math.max(2 * ROUND_STEPS + 2, own.passes), own.bytes)) {
    const all = { panel, piece, settled: tools.room('rows that are settled', 4 * (piece.end - piece.start)) };
    solvePiece(tools, panel, piece, { ...look, own: false });
    settle(tools, all, how, true);
    rounds(tools, all, own, how, FIRST_ROUNDS);
    const left = new Gathered(tools, all);
    const theirs = new OwnHessians(tools, left.panel, 'codes', at);
    for (const count of LATER_ROUNDS) {
      left.gather();
      solvePiece(tools, left.panel, left.piece, { ...look, own: true, settled: left.settled });
      rounds(tools, left, theirs, how, count);
      left.scatter();
    }
  }
  touch(panel.moved);
}

/** What all steps have in common. */
interface Steps {
  readonly tolerance: number;
  readonly ridge: number;
  readonly ridged: number;
  readonly radius: number;
  /** Receives the losses of rows. */
  readonly losses: GpuFloats;
  /** A row with a loss of at most this is settled. */
  readonly described: number;
}

const ROUND_STEPS = 4;
/** Rounds on all rows, and rounds each time that the rows which are left have been gathered. */
const FIRST_ROUNDS = 3;
const LATER_ROUNDS = [1, 1, 1, 2, 2, 2];
/** Steps end when the expected gain is below this share of the tolerance. */
const ENOUGH = 1e-5;

/** Rounds on rows whose scores are at hand. */
function rounds(tools: Tools, rows: SomeRows, hessians: OwnHessians, how: Steps, count: number): void {
  const { panel, piece, settled } = rows;
  for (let round = 0; round < count; round++) {
    const inverse = hessians.inverses(piece, how.radius, settled);
    solvePiece(tools, panel, piece, { ...how, steps: ROUND_STEPS, inverse, own: true, settled });
    settle(tools, rows, how, false);
  }
}

/** Marks rows as settled whose loss is next to nothing; at `first` all others are not. */
function settle(
  tools: Tools,
  { piece, settled }: SomeRows,
  { losses, described }: Steps,
  first: boolean,
): void {
  const tasks = piece.end - piece.start;
  const values = { tasks, start: piece.start, enough: described, first: first ? 1 : 0 };
  tools.dispatcher.run(settling, gridFor(tasks), { losses: losses.slab, settled }, values);
}

const settling = {
  key: 'settle',
  fields: { tasks: 'u32', start: 'u32', enough: 'f32', first: 'u32' },
  buffers: { losses: 'read f32', settled: 'write f32' },
  code: () =>
    EACH(/* wgsl */ `
  let described = losses[params.start + i] <= params.enough;
  settled[i] = select(select(settled[i], 0.0, params.first == 1u), 1.0, described);`),
} as const satisfies Kernel<Record<string, 'u32' | 'f32'>, Buffers>;

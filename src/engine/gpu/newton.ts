import { crossEntropy } from '../../losses/cross-entropy.ts';
import type { Loss } from '../../losses/loss.ts';
import type { NewtonOptions, Point, Side } from '../engine.ts';
import { checkCurved } from '../options.ts';
import { OwnHessians } from './own.ts';
import { piecesOf } from './panel.ts';
import { openSolve, solvePiece } from './solve.ts';
import type { GpuFloats } from './storage.ts';
import { type Tools, touch } from './tools.ts';

/**
 * `Engine.newton`. For each piece of the items: scores, the Hessians at these, their inverses, and the step,
 * with the line search of `solve`. Nothing is read back.
 */
export function newton(tools: Tools, side: Side, at: Point, options: NewtonOptions): void {
  checkCurved(at.loss);
  const { ridge, move = false } = options;
  const panel = openSolve(tools, side, at);
  const { items, width, free, start, end } = panel;
  if (!OwnHessians.fit(tools, free)) tools.refuse(`Newton's steps of ${free} units`);
  const own = new OwnHessians(tools, panel, side, at, ridge);
  const losses = options.losses && tools.use(options.losses, 'losses', items);
  const directions = options.directions && tools.use(options.directions, 'directions', items * width);
  const decrements = options.decrements && tools.use(options.decrements, 'decrements', items);
  // A program takes seconds to compile, so one per side writes everything, also what was not asked for.
  const told = {
    losses: tools.room('losses and decrements of steps', 8 * items),
    directions: directions?.slab ?? tools.room('steps', 4 * items * width),
  };
  const how = { tolerance: 0, ridge, ridged: at.shape.H, own: true, newton: told };
  for (const piece of piecesOf(tools, panel, Math.max(PASSES, own.passes), own.bytes)) {
    const none = tools.room('no inverse', 4);
    solvePiece(tools, panel, piece, { ...how, steps: SCORES, inverse: none });
    solvePiece(tools, panel, piece, { ...how, steps: move ? TAKEN : TOLD, inverse: own.steps(piece) });
  }
  const tell = (from: number, to?: GpuFloats) => {
    if (to) tools.dispatcher.copy(told.losses, 4 * (from + start), to.slab, 4 * start, 4 * (end - start));
  };
  tell(0, losses);
  tell(items, decrements);
  touch(move ? panel.moved : undefined, losses, directions, decrements);
}

/** Whether there are such steps, and proofs, for this loss and so many units. */
export function stepsAt(tools: Tools, loss: Loss, H: number): boolean {
  return loss === crossEntropy && OwnHessians.fit(tools, H + 1);
}

/** How far a dispatch of the program goes: to the scores, to the step, or with the step taken. */
const SCORES = 0;
const TOLD = 1;
const TAKEN = 2;
/** The cost of a step in products with the held factor, including trials of its length. */
const PASSES = 6;

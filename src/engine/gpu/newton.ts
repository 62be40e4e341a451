import { crossEntropy } from '../../losses/cross-entropy.ts';
import type { Loss } from '../../losses/loss.ts';
import type { NewtonOptions, Point, Side } from '../engine.ts';
import { checkCurved } from '../reference/newton.ts';
import { OwnHessians } from './own.ts';
import { piecesOf } from './panel.ts';
import { openSolve, solvePiece } from './solve.ts';
import { type Tools, touch } from './tools.ts';

/**
 * `Engine.newton`. Of each piece of the items: scores, the Hessians there, their inverses, and the step, with
 * the line search of `solve`. Nothing is read back.
 */
export function newton(tools: Tools, side: Side, at: Point, options: NewtonOptions): void {
  checkCurved(at.loss);
  const { ridge, move = false } = options;
  const panel = openSolve(tools, side, at);
  const { items, width, free } = panel;
  if (!OwnHessians.fit(tools, free)) tools.refuse(`Newton's steps of ${free} units`);
  const own = new OwnHessians(tools, panel, side, at, ridge);
  const losses = options.losses && tools.use(options.losses, 'losses', items);
  const directions = options.directions && tools.use(options.directions, 'directions', items * width);
  const decrements = options.decrements && tools.use(options.decrements, 'decrements', items);
  // What nobody asked for goes where nobody looks: programs are compiled for seconds, so that there is one of
  // each side.
  const told = {
    losses: losses?.slab ?? tools.room('losses of steps', 4 * items),
    directions: directions?.slab ?? tools.room('steps', 4 * items * width),
    decrements: decrements?.slab ?? tools.room('decrements', 4 * items),
  };
  const how = { tolerance: 0, ridge, ridged: at.shape.H, own: true, newton: told };
  for (const piece of piecesOf(tools, panel, Math.max(PASSES, own.passes), own.bytes)) {
    const none = tools.room('no inverse', 4);
    solvePiece(tools, panel, piece, { ...how, steps: SCORES, inverse: none });
    solvePiece(tools, panel, piece, { ...how, steps: move ? TAKEN : TOLD, inverse: own.steps(piece) });
  }
  touch(move ? panel.moved : undefined, losses, directions, decrements);
}

/** Whether there are such steps, and proofs, for this loss and so many units. */
export function stepsAt(tools: Tools, loss: Loss, H: number): boolean {
  return loss === crossEntropy && OwnHessians.fit(tools, H + 1);
}

/** How far a dispatch of the program for steps goes. */
const SCORES = 0;
const TOLD = 1;
const TAKEN = 2;
/** Products with the held factor that a step takes, trials of its length counted. */
const PASSES = 6;

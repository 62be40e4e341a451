import type { NewtonOptions, Point, Side } from '../engine.ts';
import { checkCurved } from '../reference/newton.ts';
import { OwnHessians } from './own.ts';
import { piecesOf } from './panel.ts';
import { openSolve, solvePiece } from './solve.ts';
import { type Tools, touch } from './tools.ts';

/**
 * `Engine.newton`. Of each piece of the items: scores, the Hessians there, their inverses, and the step, with the line search of
 * `solve`. Nothing is read back.
 */
export function newton(tools: Tools, side: Side, at: Point, options: NewtonOptions): void {
  checkCurved(at.loss);
  const { ridge, move = false } = options;
  const panel = openSolve(tools, side, at);
  const { items, width, free } = panel;
  if (!OwnHessians.fit(tools, free)) tools.refuse(`Newton's steps of ${free} units`);
  const own = new OwnHessians(tools, panel, side, at, ridge);
  const losses = options.losses && tools.use(options.losses, 'losses', items);
  const [directions, decrements] = [
    options.directions && tools.use(options.directions, 'directions', items * width),
    options.decrements && tools.use(options.decrements, 'decrements', items),
  ];
  // Steps that nobody asked for go where nobody looks.
  const told = {
    directions: directions?.slab ?? tools.room('steps', 4 * items * width),
    decrements: decrements?.slab ?? tools.room('decrements', 4 * items),
  };
  const how = { tolerance: 0, ridge, ridged: at.shape.H };
  for (const piece of piecesOf(tools, panel, Math.max(PASSES, own.passes), own.bytes)) {
    solvePiece(tools, panel, piece, { ...how, steps: 0, inverse: tools.room('no inverse', 4), own: false });
    const inverse = own.steps(piece);
    solvePiece(tools, panel, piece, {
      ...how,
      steps: move ? 1 : 0,
      inverse,
      own: true,
      losses,
      newton: told,
    });
  }
  touch(move ? panel.moved : undefined, losses, directions, decrements);
}

/** Products with the held factor that a step takes, trials of its length counted. */
const PASSES = 6;

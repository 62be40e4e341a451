import type { Point, Side, SolveOptions } from '../engine.ts';
import { checkSide } from '../options.ts';
import type { Buffers, Kernel, Slab } from './dispatcher.ts';
import { ResidualSums } from './outer.ts';
import { type OpenPanel, openPanel, type Piece, piecesOf } from './panel.ts';
import type { GpuFloats } from './storage.ts';
import { type Tools, touch } from './tools.ts';
import { panelBuffers } from './wgsl/panel.ts';
import { newtonFields, type SolveSpec, solveFields, solveProgram } from './wgsl/solve.ts';

/** `Engine.solve`: one dispatch for all steps of a piece of the range. */
export function solve(tools: Tools, side: Side, at: Point, options: SolveOptions): void {
  const { sums, steps } = options;
  if (options.set) tools.refuse('codes that are confined to a set other than the box');
  checkSide(side, options);
  const panel = openSolve(tools, side, at);
  const inverse = tools.use(options.inverseHessian, 'the numbers of inverseHessian', panel.free ** 2);
  const linear = options.linear && tools.use(options.linear, 'linear', panel.V).slab;
  const losses = options.losses && tools.use(options.losses, 'losses', panel.items);
  const total = sums && new ResidualSums(tools, panel, at.rowWeights);
  for (const piece of piecesOf(tools, panel, 2 * steps + 3)) {
    solvePiece(tools, panel, piece, {
      ...options,
      ridged: at.shape.H,
      inverse: inverse.slab,
      own: false,
      linear,
      losses,
    });
    total?.add(piece);
  }
  if (sums) total?.end(sums);
  touch(steps > 0 ? panel.moved : undefined, losses);
}

/** A point cut into panels that have room for all that a solve needs. */
export function openSolve(tools: Tools, side: Side, at: Point): OpenPanel {
  return openPanel(tools, side, at, SOLVE_VECTORS);
}

/** Steps on the items of a piece; `inverse` is one matrix, or one per item of the piece (`own`). */
export function solvePiece(
  tools: Tools,
  panel: OpenPanel,
  piece: Piece,
  {
    inverse,
    own,
    settled,
    linear,
    losses,
    newton,
    radius = Number.POSITIVE_INFINITY,
    ...options
  }: Pick<SolveOptions, 'steps' | 'tolerance' | 'ridge' | 'radius'> & {
    /** Units that the ridge counts. */
    readonly ridged: number;
    readonly inverse: Slab;
    readonly own: boolean;
    readonly settled?: Slab;
    readonly linear?: Slab;
    readonly losses?: GpuFloats;
    /** Where Newton's steps go, and losses where they end; the decrements of all items follow these. */
    readonly newton?: { readonly losses: Slab; readonly directions: Slab };
  },
): void {
  const boxed = radius < Number.POSITIVE_INFINITY;
  const { steps, tolerance, ridge, ridged } = options;
  tools.dispatcher.run(
    solveKernel(panel, {
      boxed,
      own,
      linear: linear !== undefined,
      losses: (losses ?? newton) !== undefined,
      newton: newton !== undefined,
    }),
    piece.grid,
    {
      ...panel.bound,
      scratch: piece.scratch,
      inverse,
      ...(settled && { settled }),
      ...(linear && { linear }),
      ...(losses && { losses: losses.slab }),
      ...newton,
    } as Record<string, Slab>,
    {
      ...panel.values,
      start: piece.start,
      end: piece.end,
      steps,
      ridged,
      tolerance,
      ridge,
      radius: boxed ? radius : 0,
      decrementsAt: panel.items,
    },
    piece.work,
  );
}

/** Vectors of a panel's codes: Z, D, G, P and the gradient before. */
export const SOLVE_VECTORS = 5;

function solveKernel({ spec, key }: OpenPanel, { boxed, own, linear, losses, newton }: Required<SolveSpec>) {
  const buffers: Buffers = {
    ...panelBuffers(spec),
    inverse: 'read f32',
    ...(own && !newton && { settled: 'write f32' }),
    ...(linear && { linear: 'read f32' }),
    ...(losses && { losses: 'write f32' }),
    ...(newton && { directions: 'write f32' }),
  };
  return {
    key: `solve ${boxed} ${own} ${linear} ${losses} ${newton} ${key}`,
    fields: newton ? newtonFields : solveFields,
    buffers,
    code: () => solveProgram({ ...spec, boxed, own, linear, losses, newton }),
  } as Kernel<typeof newtonFields, Buffers>;
}

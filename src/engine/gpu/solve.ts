import type { Point, Side, SolveOptions } from '../engine.ts';
import type { Buffers, Kernel, Window } from './dispatcher.ts';
import { ResidualSums } from './outer.ts';
import { type OpenPanel, openPanel, piecesOf } from './panel.ts';
import { type Tools, touch } from './tools.ts';
import { panelBuffers } from './wgsl/panel.ts';
import { solveFields, solveProgram } from './wgsl/solve.ts';

/** `Engine.solve`: one dispatch for all steps of a piece of the range. */
export function solve(tools: Tools, side: Side, at: Point, options: SolveOptions): void {
  const { sums, steps } = options;
  if (options.set) tools.refuse('codes that are confined to a set other than the box');
  if (sums && side !== 'codes') throw new Error("engine: sums are made on side 'codes' only");
  const panel = openPanel(tools, side, at, VECTORS);
  const inverse = tools.use(options.inverseHessian, 'the numbers of inverseHessian', panel.free ** 2);
  const losses = options.losses && tools.use(options.losses, 'losses', panel.items);
  const boxed = options.radius !== undefined && options.radius < Number.POSITIVE_INFINITY;
  const kernel = solveKernel(panel, boxed, losses !== undefined);
  const total = sums && new ResidualSums(tools, panel, at.rowWeights);
  for (const piece of piecesOf(tools, panel, 2 * steps + 2)) {
    tools.dispatcher.run(
      kernel,
      piece.grid,
      {
        ...panel.bound,
        scratch: { slab: piece.scratch },
        inverse: { slab: inverse.slab },
        ...(losses && { losses: { slab: losses.slab } }),
      } as Record<string, Window>,
      {
        ...panel.values,
        ...{ start: piece.start, end: piece.end, steps, ridged: at.shape.H },
        ...{ tolerance: options.tolerance, ridge: options.ridge },
        radius: boxed ? (options.radius as number) : 0,
      },
      piece.work,
    );
    total?.add(piece);
  }
  if (sums) total?.end(sums);
  touch(steps > 0 ? panel.moved : undefined, losses);
}

/** Vectors of a panel's codes: Z, D, G, P and the gradient before. */
const VECTORS = 5;

function solveKernel(panel: OpenPanel, boxed: boolean, losses: boolean) {
  const { spec, key } = panel;
  const buffers: Buffers = {
    ...panelBuffers(spec),
    inverse: 'read f32',
    ...(losses && { losses: 'write f32' }),
  };
  return {
    key: `solve ${boxed} ${losses} ${key}`,
    fields: solveFields,
    buffers,
    code: () => solveProgram({ ...spec, boxed, losses }),
  } satisfies Kernel<typeof solveFields, Buffers>;
}

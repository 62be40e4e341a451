import type { Gradients, Measures, Point } from '../engine.ts';
import type { Buffers, Kernel, Window } from './dispatcher.ts';
import { ResidualSums } from './outer.ts';
import { openPanel, piecesOf } from './panel.ts';
import type { GpuFloats } from './storage.ts';
import { type Tools, touch } from './tools.ts';
import { lookFields, lookProgram } from './wgsl/look.ts';
import { panelBuffers } from './wgsl/panel.ts';

/** `Engine.measure`. */
export function measure(tools: Tools, at: Point, out: Measures): void {
  const { n } = at.block;
  const losses = out.losses && tools.use(out.losses, 'losses', n);
  const gaps = out.gaps && tools.use(out.gaps, 'gaps', n);
  look(tools, at, { losses, gaps }, out.radius ?? 1);
}

/** `Engine.gradients`. */
export function gradients(tools: Tools, at: Point, out: Gradients): void {
  const { n } = at.block;
  const losses = out.losses && tools.use(out.losses, 'losses', n);
  const slopes = out.codes && tools.use(out.codes, 'the gradients of codes', (n * at.W.length) / at.shape.V);
  look(tools, at, { losses, slopes }, 1, out.weights as GpuFloats);
}

function look(
  tools: Tools,
  at: Point,
  out: { readonly losses?: GpuFloats; readonly gaps?: GpuFloats; readonly slopes?: GpuFloats },
  radius: number,
  gradient?: GpuFloats,
): void {
  const panel = openPanel(tools, 'codes', at, VECTORS);
  const wanted = Object.entries(out).filter(([, floats]) => floats) as [keyof typeof out, GpuFloats][];
  const looks = { losses: !!out.losses, gaps: !!out.gaps, slopes: !!out.slopes };
  const kernel: Kernel<typeof lookFields, Buffers> = {
    key: `look ${wanted.map(([name]) => name)} ${panel.key}`,
    fields: lookFields,
    buffers: {
      ...panelBuffers(panel.spec),
      ...Object.fromEntries(wanted.map(([name]) => [name, 'write f32'])),
    },
    code: () => lookProgram({ ...panel.spec, ...looks }),
  };
  const total = gradient && new ResidualSums(tools, panel, at.rowWeights);
  for (const piece of piecesOf(tools, panel, 2)) {
    const bound = {
      ...panel.bound,
      scratch: { slab: piece.scratch },
      ...Object.fromEntries(wanted.map(([name, { slab }]) => [name, { slab }])),
    } as Record<string, Window>;
    const values = { ...panel.values, start: piece.start, end: piece.end, radius };
    tools.dispatcher.run(kernel, piece.grid, bound, values, piece.work);
    total?.add(piece);
  }
  if (gradient) total?.end({ gradient });
  touch(...wanted.map(([, floats]) => floats));
}

/** Vectors of a panel's codes: Z, D and G. */
const VECTORS = 3;

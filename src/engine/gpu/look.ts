import type { Gradients, Measures, Point } from '../engine.ts';
import type { Buffers, Kernel, Slab } from './dispatcher.ts';
import { gridFor } from './grid.ts';
import { ResidualSums } from './outer.ts';
import { openPanel, type PanelSpec, piecesOf } from './panel.ts';
import type { GpuFloats } from './storage.ts';
import { type TileSpec, tileFor, tilePieces } from './tile.ts';
import { type Tools, touch } from './tools.ts';
import { type Looks, lookFields, lookProgram } from './wgsl/look.ts';
import { panelBuffers } from './wgsl/panel.ts';
import { tileProgram } from './wgsl/tile.ts';

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
  const total = gradient && new ResidualSums(tools, panel, at.rowWeights);
  const tile = tileFor(tools, panel, { ...looks, scores: gradient !== undefined });
  const kernel = {
    ...(tile ? tileKernel(tile) : panelKernel({ ...panel.spec, ...looks }, panel.key)),
    fields: lookFields,
    buffers: {
      ...panelBuffers(panel.spec),
      ...Object.fromEntries(wanted.map(([name]) => [name, 'write f32'])),
    },
  } as Kernel<typeof lookFields, Buffers>;
  const pieces = tile && !gradient ? tilePieces(tools, panel, tile) : piecesOf(tools, panel, 2);
  for (const piece of pieces) {
    const bound = {
      ...panel.bound,
      scratch: piece.scratch,
      ...Object.fromEntries(wanted.map(([name, { slab }]) => [name, slab])),
    } as Record<string, Slab>;
    const { start, end, work } = piece;
    const values = { ...panel.values, start, end, radius, perPanel: panel.perPanel };
    const grid = tile ? gridFor(end - start, 4 * tile.quads) : piece.grid;
    tools.dispatcher.run(kernel, grid, bound, values, work);
    total?.add(piece);
  }
  if (gradient) total?.end({ gradient });
  touch(...wanted.map(([, floats]) => floats));
}

function panelKernel(spec: PanelSpec & Looks, key: string) {
  const { losses, gaps, slopes } = spec;
  return {
    key: `look ${losses} ${gaps} ${slopes} ${key}`,
    code: () => lookProgram(spec),
  };
}

function tileKernel(spec: TileSpec) {
  return {
    key: `look in tiles ${Object.values(spec).join(' ')}`,
    code: () => tileProgram(spec),
  };
}

/** Vectors of a panel's codes: Z, D and G. */
const VECTORS = 3;

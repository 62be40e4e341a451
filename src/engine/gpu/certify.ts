import { crossEntropy } from '../../losses/cross-entropy.ts';
import type { Certificates, Point, Range } from '../engine.ts';
import type { Buffers, Kernel, Window } from './dispatcher.ts';
import { openPanel, piecesOf } from './panel.ts';
import type { Tools } from './tools.ts';
import { certifyFields, certifyProgram } from './wgsl/certify.ts';
import { panelBuffers } from './wgsl/panel.ts';

/** Whether the device has proofs for codes of these rows. */
export function provable(tools: Tools, at: Point): boolean {
  return at.loss === crossEntropy && tools.block(at.block).kind === 'bits';
}

/**
 * Losses of codes, and how far each is from the least loss within the radius at most: never less than in float64, whatever
 * float32 rounds away (see `wgsl/certify.ts`).
 */
export async function certify(tools: Tools, at: Point, range: Range, radius: number): Promise<Certificates> {
  const panel = openPanel(tools, 'codes', at, VECTORS);
  const { spec, free, values } = panel;
  const { K4, F4 } = values;
  const count = range.end - range.start;
  const kernel: Kernel<typeof certifyFields, Buffers> = {
    key: `certify ${panel.key}`,
    fields: certifyFields,
    buffers: { ...panelBuffers(spec), square: 'write f32', losses: 'write f32', gaps: 'write f32' },
    code: () => certifyProgram(spec),
  };
  const perSquare = 4 * free * free;
  // How many numbers are added up, one after the other, in A^T r, in A^T A and in a loss.
  const slices = Math.floor(spec.T / Math.min(spec.T, F4));
  const [losses, gaps] = ['losses', 'gaps'].map((name) => tools.room(`certified ${name}`, 4 * range.end));
  for (const piece of piecesOf(tools, panel, 6 + free, 4 * perSquare)) {
    const panels = Math.ceil((piece.end - piece.start) / spec.R);
    const square = tools.room('squares to factor', 4 * perSquare * panels);
    tools.dispatcher.run(
      kernel,
      piece.grid,
      {
        ...panel.bound,
        ...{ scratch: { slab: piece.scratch }, square: { slab: square } },
        ...{ losses: { slab: losses }, gaps: { slab: gaps } },
      } as Record<string, Window>,
      {
        ...{ ...values, start: piece.start, end: piece.end, radius, perSquare },
        summed: 4 * Math.ceil(K4 / slices) + slices + 4,
        stacked: 36 + Math.ceil(K4 / 8),
        added: 5 * Math.ceil(K4 / spec.T) + Math.ceil(spec.T / 16) + 16,
      },
      piece.work,
    );
  }
  const read = async (slab: typeof losses) =>
    Float64Array.from(new Float32Array(await tools.dispatcher.read(slab, 4 * range.start, 4 * count)));
  const [f, g] = await Promise.all([read(losses), read(gaps)]);
  return { losses: f, gaps: g };
}

/** Vectors of a panel's codes: Z, D, G and the magnitudes, and three of a lane's own. */
const VECTORS = 5;

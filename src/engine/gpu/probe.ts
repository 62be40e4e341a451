import type { Point } from '../engine.ts';
import type { Probing } from '../true-bits.ts';
import type { Buffers, Kernel, Slab } from './dispatcher.ts';
import { type CodesAt, openPanel, piecesOf } from './panel.ts';
import type { Tools } from './tools.ts';
import { panelBuffers } from './wgsl/panel.ts';
import { probeFields, probeProgram } from './wgsl/probe.ts';

/**
 * One expansion of `Probing`: candidates that are parameters of bits, or bits already, become better bits.
 */
export function probe(
  tools: Tools,
  at: Point,
  candidates: CodesAt,
  { stretches, steps }: Probing,
  parameters: boolean,
): void {
  const panel = openPanel(tools, 'codes', at, PROBE_VECTORS);
  const { spec, free } = panel;
  const perPanel = 4 * spec.R * free * free;
  const kernel: Kernel<typeof probeFields, Buffers> = {
    key: `probe ${panel.key}`,
    fields: probeFields,
    buffers: { ...panelBuffers(spec), square: 'write f32' },
    code: () => probeProgram(spec),
  };
  for (const piece of piecesOf(tools, panel, free + stretches + 2, perPanel)) {
    const panels = Math.ceil((piece.end - piece.start) / spec.R);
    const bound = {
      ...panel.bound,
      codes: candidates.slab,
      scratch: piece.scratch,
      square: tools.room('squares of models', perPanel * panels),
    } as Record<string, Slab>;
    const values = {
      ...panel.values,
      start: piece.start,
      end: piece.end,
      codesAt: candidates.at,
      parameters: parameters ? 1 : 0,
      stretches,
      flips: steps,
    };
    tools.dispatcher.run(kernel, piece.grid, bound, values, piece.work);
  }
}

/** Vectors of a panel's codes: Z, D and G, and bits, slopes, rests and the best of a stretch. */
export const PROBE_VECTORS = 7;

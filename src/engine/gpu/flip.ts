import type { Point } from '../engine.ts';
import type { FlipOptions } from '../true-bits.ts';
import type { Buffers, Kernel, Slab } from './dispatcher.ts';
import { ResidualSums } from './outer.ts';
import { type CodesAt, type OpenPanel, openPanel, piecesOf } from './panel.ts';
import type { GpuFloats } from './storage.ts';
import { type Tools, touch } from './tools.ts';
import { flipFields, flipProgram } from './wgsl/flip.ts';
import { panelBuffers } from './wgsl/panel.ts';

/** `Engine.flip`: one dispatch for all flips of a piece of the range. */
export function flip(tools: Tools, at: Point, options: FlipOptions): void {
  const { sums, pairs, sweeps } = options;
  const panel = openPanel(tools, 'codes', at, VECTORS);
  const losses = options.losses && tools.use(options.losses, 'losses', panel.items);
  const total = sums && new ResidualSums(tools, panel, at.rowWeights);
  runFlips(tools, panel, { sweeps, pairs, losses, sums: total });
  if (sums) total?.end(sums);
  touch(sweeps > 0 ? panel.moved : undefined, losses);
}

/** Flips the signs of candidates. Those with a lower loss than `least` become the codes at a point, too. */
export function contest(
  tools: Tools,
  at: Point,
  candidates: CodesAt,
  sweeps: number,
  least: GpuFloats,
): void {
  const panel = openPanel(tools, 'codes', at, VECTORS);
  runFlips(tools, panel, { sweeps, pairs: false, losses: least, candidates });
  touch(panel.moved, least);
}

interface Flips {
  readonly sweeps: number;
  readonly pairs: boolean;
  readonly losses?: GpuFloats;
  readonly sums?: ResidualSums;
  readonly candidates?: CodesAt;
}

function runFlips(tools: Tools, panel: OpenPanel, { sweeps, pairs, losses, sums, candidates }: Flips): void {
  const { spec, key, bound, values, free } = panel;
  const kernel = {
    key: `flip ${key}`,
    fields: flipFields,
    buffers: { ...panelBuffers(spec), ...({ losses: 'write f32', kept: 'write f32' } as const) },
    code: () => flipProgram(spec),
  } satisfies Kernel<typeof flipFields, Buffers>;
  for (const piece of piecesOf(tools, panel, USUAL_PASSES)) {
    tools.dispatcher.run(
      kernel,
      piece.grid,
      {
        ...bound,
        codes: candidates ? candidates.slab : bound.codes,
        scratch: piece.scratch,
        losses: losses?.slab ?? tools.room('no losses', 16),
        kept: candidates ? bound.codes : tools.room('no codes', 16),
      } as Record<keyof typeof kernel.buffers, Slab>,
      {
        ...values,
        start: piece.start,
        end: piece.end,
        most: sweeps * free,
        codesAt: candidates?.at ?? values.codesAt,
        keptAt: values.codesAt,
        pairs: pairs ? 1 : 0,
        contest: candidates ? 1 : 0,
        told: losses ? 1 : 0,
      },
      piece.work,
    );
    sums?.add(piece);
  }
}

/** Products with W that flips of a code usually take the time of. */
const USUAL_PASSES = 32;

/** Vectors of a panel's codes: Z, D, G, gains and slopes. */
const VECTORS = 5;

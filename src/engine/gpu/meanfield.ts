import type { Buffers, Kernel, Slab } from './dispatcher.ts';
import type { ResidualSums } from './outer.ts';
import { type CodesAt, type OpenPanel, piecesOf } from './panel.ts';
import type { GpuFloats } from './storage.ts';
import type { Tools } from './tools.ts';
import { meanFieldFields, meanFieldProgram } from './wgsl/meanfield.ts';
import { panelBuffers } from './wgsl/panel.ts';

/** Steps on the parameters of bits; see `wgsl/meanfield.ts`. */
export interface MeanField {
  readonly parameters: CodesAt;
  readonly curvatures: Slab;
  readonly steps: number;
  readonly hot: number;
  /** The factor on the temperature from step to step. */
  readonly cooling: number;
  readonly damping: number;
  /**
   * Where to write the means before the last step. Temperatures are then in units of the mean curvature, or
   * of `leastCurvature` if that is larger.
   */
  readonly means?: CodesAt & { readonly leastCurvature: number };
  readonly losses?: GpuFloats;
  /** Sums at those means. */
  readonly sums?: ResidualSums;
}

/** One dispatch for all steps of a piece of the range. */
export function meanField(tools: Tools, panel: OpenPanel, how: MeanField): void {
  const { means, losses, parameters, steps } = how;
  const kernel = {
    key: `mean field ${panel.key}`,
    fields: meanFieldFields,
    buffers: {
      ...panelBuffers(panel.spec),
      ...({ curvatures: 'read f32', meansKept: 'write f32', losses: 'write f32' } as const),
    },
    code: () => meanFieldProgram(panel.spec),
  } satisfies Kernel<typeof meanFieldFields, Buffers>;
  for (const piece of piecesOf(tools, panel, 2 * steps)) {
    const bound = {
      ...panel.bound,
      codes: parameters.slab,
      scratch: piece.scratch,
      curvatures: how.curvatures,
      meansKept: means?.slab ?? tools.room('no means', 16),
      losses: losses?.slab ?? tools.room('no losses', 16),
    } as Record<keyof typeof kernel.buffers, Slab>;
    const values = {
      ...panel.values,
      start: piece.start,
      end: piece.end,
      codesAt: parameters.at,
      steps,
      hot: how.hot,
      cooling: how.cooling,
      rate: how.damping,
      least: means?.leastCurvature ?? 0,
      meansAt: means?.at ?? 0,
      relaxing: means ? 1 : 0,
      told: losses ? 1 : 0,
    };
    tools.dispatcher.run(kernel, piece.grid, bound, values, piece.work);
    how.sums?.add(piece);
  }
}

/** Vectors of a panel's codes: Z, D and G. */
export const MEAN_FIELD_VECTORS = 3;

export function checkTemperature(temperature: number): void {
  if (!(temperature > 0)) throw new Error(`engine: a temperature is more than 0, got ${temperature}`);
}

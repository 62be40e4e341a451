import { encodingOf } from '../encodings/by-name.ts';
import type { Rows } from '../rows/rows.ts';
import type { Neighbours } from '../solvers/neighbours.ts';
import type { Shrink } from '../solvers/shrink.ts';
import type { EncodeOptions } from './autoencoder.ts';
import type { PCAE } from './model.ts';

/**
 * How far codes were pulled towards 0, and what an unknown entry will cost, measured on hidden known entries.
 */
export interface Shrunk extends Partial<Shrink> {
  readonly shrink: number;
  /**
   * With neighbours, `entryLoss` is that of learning's validation rows, and this the same without neighbours.
   */
  readonly entryLossAlone?: number;
}

/** The strength asked for, if any, and the engine on which the best one is found otherwise. */
export type ShrinkRequest = Pick<EncodeOptions, 'shrink' | 'engine' | 'signal'>;

/** The shrink that was asked for, or the best one for these rows. */
export async function shrinkFor(model: PCAE, rows: Rows, options: ShrinkRequest): Promise<Shrunk> {
  if (model.neighbours) return shrinkOfNeighbours(model.neighbours, options);
  if (options.shrink !== undefined) return { shrink: options.shrink };
  if (encodingOf(model.encoding).refuses.shrink || model.restoring) return { shrink: 0 };
  return model.chooseShrink(rows, options);
}

/**
 * The strength that neighbours were learned with, which is the only one that fits their weights. The entry
 * losses were measured on the validation rows.
 */
function shrinkOfNeighbours(
  { shrink, entryLoss, entryLossAlone }: Neighbours,
  { shrink: asked }: ShrinkRequest,
): Shrunk {
  if (asked === undefined || asked === shrink) return { shrink, entryLoss, entryLossAlone };
  throw new RangeError(
    `impute: with neighbours, shrink is that of learning, ${shrink}: leave it out; got ${asked}`,
  );
}

import type { Engine } from '../engine/engine.ts';
import type { Rows } from '../rows/rows.ts';
import type { Neighbours } from '../solvers/neighbours.ts';
import { learnNeighbours, type NeighbourSettings } from '../training/neighbours/learn.ts';
import { scoresOf } from './complete.ts';
import type { PCAE } from './model.ts';
import { shrinkFor } from './shrunk.ts';

/**
 * Learns what other columns predict beyond the codes of a model. Hidden entries of the validation rows decide
 * how far codes are pulled towards 0, both here and later when entries are filled in.
 */
export async function learnNeighboursOf(
  engine: Engine,
  model: PCAE,
  rows: { readonly training: Rows; readonly validation: Rows; readonly rowWeights?: ArrayLike<number> },
  options: Pick<NeighbourSettings, 'K' | 'seed' | 'onProgress' | 'inTime'>,
): Promise<Neighbours> {
  const { training, validation, rowWeights } = rows;
  const { shrink } = await shrinkFor(model, validation, { engine });
  const { groups, reconstructionLoss: loss } = model;
  return learnNeighbours(engine, training, validation, {
    ...options,
    shrink,
    groups,
    loss,
    rowWeights,
    scoresOf: async (shown) => {
      const scores = new Float32Array(shown.n * shown.V);
      let at = 0;
      for await (const part of model.encodeSource(shown, { engine, shrink, tolerance: CLOSE })) {
        scores.set(await scoresOf(model, part.rows, part.codes, { engine }), at);
        at += part.n * shown.V;
      }
      return scores;
    },
  });
}

/** The tolerance of codes that are not pulled towards 0, in nats. */
const CLOSE = 0.1;

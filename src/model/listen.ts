import type { Engine } from '../engine/engine.ts';
import type { Rows } from '../rows/rows.ts';
import type { Neighbours } from '../solvers/neighbours.ts';
import { learnNeighbours, type NeighbourSettings } from '../training/neighbours/learn.ts';
import { scoresOf } from './complete.ts';
import type { PCAE } from './model.ts';
import { shrinkFor } from './shrunk.ts';

/**
 * Learns what neighbouring columns know beyond the codes of a model. Codes are drawn towards 0 by as much as
 * hidden entries of the validation rows ask for, here and whenever the neighbours are listened to.
 */
export async function learnToListen(
  engine: Engine,
  model: PCAE,
  rows: { readonly training: Rows; readonly validation: Rows; readonly rowWeights?: ArrayLike<number> },
  options: Pick<NeighbourSettings, 'K' | 'seed' | 'onProgress' | 'inTime'>,
): Promise<Neighbours> {
  const { training, validation, rowWeights } = rows;
  const { shrink } = await shrinkFor(model, validation, { engine });
  const { groups, reconstructionLoss: loss } = model;
  return learnNeighbours(engine, training, validation, {
    ...{ ...options, shrink, groups, loss, rowWeights },
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

/** Nats within which an unshrunk code has to be proven optimal here. */
const CLOSE = 0.1;

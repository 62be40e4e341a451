import { load, PCAE, type Promised, strongestFeatures } from 'pc-ae';
import { thinned } from '../thin.ts';
import type { ModelFacts } from './calls.ts';

export function readModel(bytes: Uint8Array, name: string): PCAE {
  return load(bytes, { name, as: PCAE });
}

/** Columns named for each unit, either way. */
const NAMED = 6;
/** Weights that are shown as pictures. */
const SHOWN = 2 ** 20;

export function modelFacts(model: PCAE): ModelFacts {
  const { V, H, encoding, radius, columns, groups, image, W, training } = model;
  const { n, loss, meanGap: gap, slackGap, epochs, seconds } = training;
  const { seed, ridge, stopped, converged, history } = training;
  const width = W.length / V;
  const shown = Math.min(H, Math.max(1, Math.floor(SHOWN / V)));
  return {
    ...{ V, H, encoding, radius, columns, groups, image },
    loss: model.reconstructionLoss.name,
    unit: unitOf(model),
    training: {
      ...{ n, loss, gap, slackGap, epochs, seconds, seed, ridge, stopped, converged },
      history: thinned(history),
    },
    bound: model.guarantee().bound,
    promises: promisesOf(model),
    kinds: strongestFeatures(model, NAMED),
    spread: spreadOf(model),
    units: Float32Array.from({ length: shown * V }, (_, k) => W[(k % V) * width + Math.floor(k / V)]),
  };
}

/** Root mean squares of the numbers of the training codes; the radius where the model does not know them. */
function spreadOf({ H, moments, radius }: PCAE): Float32Array {
  const width = moments ? Math.sqrt(moments.length) : 0;
  return Float32Array.from({ length: H }, (_, h) => (moments ? Math.sqrt(moments[h * width + h]) : radius));
}

function unitOf({ reconstructionLoss: { name } }: PCAE): string {
  return name === 'cross-entropy' ? 'nats' : name === 'hamming' ? 'bits' : name;
}

/** What is asked of a model that was calibrated, the most useful first. */
const ASKED = ['mean', 'quantile', 'next row', 'tail', 'contaminated', 'changed bits', 'ceiling'] as const;

function promisesOf(model: PCAE): (Promised & { of: string })[] {
  const asked = model.calibration ? ASKED : (['ceiling'] as const);
  return asked.flatMap((of) => {
    try {
      return [{ of, ...model.promise({ of }) }];
    } catch {
      // Not every calibration allows every promise.
      return [];
    }
  });
}

import type { PCAE } from '../../model/model.ts';
import { shareOfZeros } from '../../model/sparsity.ts';
import { Stack } from '../../model/stack.ts';
import { counted } from '../../rows/counted.ts';
import { convexNote, type Line, number, spread, unitOf } from '../text.ts';
import { neighboursFacts, neighboursLine, ridgeWords } from '../trained.ts';

/** What tells a model of one layer from a stack, for results and for people. */
interface ModelFacts {
  readonly json: Readonly<Record<string, unknown>>;
  readonly units: string;
  readonly weights: string;
  readonly trained: string;
  /** How it was learned and what came of it. */
  readonly learning: readonly Line[];
  /** The layer beside the rows, whose weights say what its units stand for. */
  readonly lowest: { readonly H: number; readonly W: Float32Array };
}

export function modelFacts(model: PCAE | Stack): ModelFacts {
  return model instanceof Stack ? stackFacts(model) : layerFacts(model);
}

function layerFacts(model: PCAE): ModelFacts {
  const { H, W, bias, radius, encoding, chosen: pairs } = model;
  const { history: _, seen: __, ...training } = model.training;
  const { n, epochs, algorithm, seconds, seed, l1, stopped, converged, loss } = training;
  const { weightGap, slackGap } = training;
  const unit = unitOf(model.reconstructionLoss);
  const note = convexNote(model.reconstructionLoss);
  const evalToo = ' (eval also says what reconstructions cost)';
  const zeros = shareOfZeros(W);
  const chosen = pairs && 1 - shareOfZeros(pairs);
  return {
    json: { bias, radius, parameters: W.length, zeros, chosen, neighbours: neighboursFacts(model), training },
    units: `${H}${bias ? ' and a bias' : ''}, ${encoding} codes`,
    weights: weightsLine(W.length, zeros, chosen),
    trained: `${counted(n, 'row')}, ${counted(epochs, 'epoch')} (${algorithm}), ${number(seconds)} s`,
    learning: [
      ['options', `seed ${seed}, ${ridgeWords(training)}, l1 ${spread(l1)}`],
      // A single epoch does not show whether the loss was falling.
      ['ended by', stopped + (converged || epochs === 1 ? '' : ' (the loss was still falling)')],
      ['training loss', `${number(loss)} ${unit} per row${note}${note && evalToo}`],
      ...neighboursLine(model),
      [
        'weights proven',
        weightGap === undefined
          ? undefined
          : `within ${number(weightGap)} ${unit} of the best for their codes`,
      ],
      [
        'worst case',
        slackGap === undefined
          ? undefined
          : `no weights up to 64, for codes of unit size, lower the worst-case loss by more than ${number(slackGap)} ${unit}`,
      ],
    ],
    lowest: { H, W },
  };
}

function stackFacts(stack: Stack): ModelFacts {
  const { layers, encoding, coupling } = stack;
  const { history, ...training } = stack.training;
  const { n, seconds, seed, ridge, loss } = training;
  const sizes = layers.map(({ H }) => H);
  const parameters = layers.reduce((sum, { W }) => sum + W.length, 0);
  const zeros = layers.reduce((sum, { W }) => sum + W.length * shareOfZeros(W), 0) / parameters;
  const rounds = history.length - 1;
  const unit = unitOf(stack.reconstructionLoss);
  return {
    json: {
      layers: sizes,
      bias: true,
      radius: 1,
      parameters,
      zeros,
      training: { ...training, rounds, coupling },
    },
    units: `layers of ${sizes.join(', ')}, each with a bias, ${encoding} codes`,
    weights: weightsLine(parameters, zeros),
    trained: `${counted(n, 'row')}, ${counted(rounds, 'round')}, ${number(seconds)} s`,
    learning: [
      ['options', `seed ${seed}, ridge ${number(ridge)}, coupling up to ${number(coupling)}`],
      ['training loss', `${number(loss)} ${unit} per row, from the topmost codes alone`],
    ],
    lowest: layers[0],
  };
}

function weightsLine(count: number, zeros: number, chosen?: number): string {
  const percent = (share: number) => `${number(100 * share)}%`;
  return [
    number(count),
    ...(zeros > 0 ? [`${percent(zeros)} of them zero`] : []),
    ...(chosen === undefined ? [] : [`${percent(chosen)} of the correlations chosen`]),
  ].join(', ');
}

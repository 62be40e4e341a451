import { encodingOf } from '../encodings/by-name.ts';
import type { Series } from '../figures/lines.ts';
import { lossCurveFigure } from '../figures/loss-curves.ts';
import type { PCAE } from '../model/model.ts';
import type { HistoryEntry } from '../training/loop/history.ts';
import type { FigurePart } from './report.ts';
import { number, unitOf } from './words.ts';

/** How learning went, and why its curves do not end at the loss that the model has. */
export function learningFigure(model: PCAE): FigurePart {
  const { history } = model.training;
  const series = (encodingOf(model.encoding).discrete ? bitsSeries : numbersSeries)(history);
  const gaps = [curve(history, 'mean gap of the training codes', ({ meanGap }) => meanGap)];
  const unit = `${unitOf(model.reconstructionLoss)} per row`;
  const svg = lossCurveFigure({ series, gaps, over: 'seconds', unit });
  return { kind: 'figure', svg, caption: history.length > 0 ? captionOf(model) : undefined };
}

function numbersSeries(history: readonly HistoryEntry[]): Series[] {
  return [
    curve(history, 'training loss, as rows are visited', ({ loss }) => loss),
    curve(history, 'worst-case loss (slack)', ({ slack }) => slack),
    curve(history, 'validation loss', ({ validation }) => validation),
  ].filter(isKnown);
}

/** Bits are learned in two phases whose losses are not of one kind; the rate rises where a start begins. */
function bitsSeries(history: readonly HistoryEntry[]): Series[] {
  const starts = history.flatMap(({ rate }, i) => (i > 0 && rate > history[i - 1].rate ? [i] : []));
  const loss = (entry: HistoryEntry) => (isUndecided(entry) ? entry.loss : undefined);
  return [
    { ...curve(history, 'bits still undecided, a line for each start', loss), starts },
    curve(history, 'training loss of bits', ({ slack }) => slack),
    curve(history, 'validation loss', ({ validation }) => validation),
  ].filter(isKnown);
}

/** The relaxation does not measure a slack, the alternation does. */
function isUndecided({ slack }: HistoryEntry): boolean {
  return slack === undefined;
}

function curve(
  history: readonly HistoryEntry[],
  label: string,
  pick: (entry: HistoryEntry) => number | undefined,
): Series {
  const x = history.map(({ seconds }) => seconds);
  return { label, x, y: history.map((entry) => pick(entry) ?? Number.NaN) };
}

function isKnown({ y }: Series): boolean {
  return Array.from(y).some((value) => !Number.isNaN(value));
}

function captionOf({ encoding, training, reconstructionLoss }: PCAE): string {
  const ends = `the training loss of the model, ${number(training.loss)} ${unitOf(reconstructionLoss)}`;
  if (encodingOf(encoding).discrete) {
    const relaxation =
      'Bits begin as numbers between -1 and 1, which cost less than bits: their loss rises as they are made to decide. ';
    return `${training.history.some(isUndecided) ? relaxation : ''}The best start goes on with bits, to ${ends}.`;
  }
  const held = training.ridge > 0 ? ' and while the ridge keeps codes small' : '';
  return (
    `These are losses while learning, before codes are at their best${held}. In the end every row gets the ` +
    `best code for the final weights, which gives ${ends}.`
  );
}

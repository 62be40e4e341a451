/** An evaluation as `pcae eval` prints it: as lines of text, and the fields of its JSON. */

import { encodingOf } from '../../encodings/by-name.ts';
import type { Autoencoder, LossReport, Reconstruction } from '../../model/autoencoder.ts';
import type { CodeLength } from '../../model/code-length.ts';
import type { ExactGuarantee } from '../../model/exact-guarantee.ts';
import { PCAE } from '../../model/model.ts';
import { evenOdds } from '../../promises/ceiling.ts';
import { counted } from '../../rows/counted.ts';
import { DATA_FIELDS } from '../data.ts';
import { PROMISE_FIELDS, promiseLines, sameSourceLine } from '../promises.ts';
import { type Line, number, unitOf } from '../text.ts';

export const EVAL_FIELDS = {
  report: 'with --report: the page written',
  n: 'rows',
  loss: 'mean loss per row, in the unit of the loss (nats for cross-entropy)',
  decodedLoss:
    'bounded losses (hamming, squared): mean loss of the reconstructions; `loss` is the convex function that codes ' +
    'minimise, which is larger',
  worstCase:
    'with --worst-case, {n, bound, upper, loss, drift, confidence}: `bound` is the exact worst case, `upper` the upper bound of ' +
    'App. C.1; `confidence` is that of ellipsoids',
  codeLength:
    'with --code-length, {n, nats, codes, rows, bitsPerUnit}: `nats` is the mean length of a row, the sum of `codes`, the length of its ' +
    'code with each number rounded to bitsPerUnit bits, and `rows`, the length of the row given this code',
  lossWithEscape: 'mean loss with the escape to even odds, which promises are about; absent for a stack',
  escaped: 'how many rows would escape: even odds describe them better than their codes',
  sameSource:
    '{n, line, above, pValue}: 5% of the rows from the calibrated source have a loss above `line`; `above` is the share of these rows, ' +
    '`pValue` the probability of so many if they come from that source; absent without a calibration',
  promises: PROMISE_FIELDS,
  lossPerBit: 'the mean loss of a known entry',
  bound:
    'with --measure-drift: worst case over all data with these codes whose correlations are as close to the remembered ones as those of ' +
    'these rows; null with --against for a model that restores noisy rows, because its correlations promise nothing about clean ones; ' +
    'absent for a stack, as are drift, gap, uncertified and tolerance',
  drift:
    'with --measure-drift: the largest difference of a correlation of these rows from the remembered one',
  gap:
    '{mean, max} of the gaps: another code could lower the loss of a row by this at most, proven; for bits often far more than other ' +
    'bits could save (0 if all codes were tried)',
  hamming: 'mean number of bits per row that the rounded reconstruction gets wrong',
  uncertified: 'rows whose gap is above the tolerance',
  flipOptimal:
    'codes of bits: no code improves by flipping up to this many bits at once (1, 2, or H if all codes were tried)',
  randomised: 'with --draws, {loss, standardError, draws}: the loss expected of bits drawn from box codes',
  tolerance: 'the tolerance asked for',
  seconds: 'wall-clock seconds',
  binarize: 'how grey values became bits: sample, threshold or none',
  data: DATA_FIELDS,
};

/** The numbers of an evaluation, each with its unit. */
export function lossLines(model: Autoencoder, report: Reconstruction | LossReport, drift = false): Line[] {
  const unit = unitOf(model.reconstructionLoss);
  const decoded = 'decodedLoss' in report ? report.decodedLoss : undefined;
  const convex = 'the loss above is the convex function that codes minimise';
  return [
    ['loss', `${number(report.loss)} ${unit} per row, ${number(report.lossPerBit)} per known bit`],
    [
      'of what is decoded',
      decoded === undefined ? undefined : `${number(decoded)} ${unit} per row; ${convex}`,
    ],
    ...('bound' in report && drift ? boundLines(model, report) : []),
    ...('bound' in report ? gapLines(model, report) : []),
    ['wrong bits', `${number(report.hamming)} of ${model.V} per row`],
    ...('bound' in report ? codeLines(model, report) : []),
  ];
}

/** The promises of a calibrated model, and whether these rows may come from the same source. */
export function promisedLines(
  model: Autoencoder,
  report: Reconstruction & Partial<LossReport>,
  confidence: number,
): Line[] {
  if (!(model instanceof PCAE)) return [];
  const { sameSource } = report;
  return [
    ...promiseLines(model, confidence),
    ['same source?', sameSource && sameSourceLine(sameSource, model)],
  ];
}

export function lengthLine({ nats, codes, rows, bitsPerUnit }: CodeLength): string {
  const how = `${number(codes)} for the code (${counted(bitsPerUnit, 'bit')} per unit) + ${number(rows)} for the row given it`;
  return `${number(nats)} nats per example: ${how}`;
}

export function worstCaseLine(
  { bound, upper, drift, confidence = 0 }: ExactGuarantee,
  model: Autoencoder,
): string {
  const unit = unitOf(model.reconstructionLoss);
  const where =
    drift === 'ellipsoid'
      ? `on any data with these codes and correlations that their source may have, at ${number(100 * confidence)}% confidence`
      : `on any data with these codes whose correlations drift by ${number(drift)} of the size of codes`;
  return `${number(bound)} ${unit} per row, exact, ${where} (App. C.1: at most ${number(upper)})`;
}

/** The worst case over data with similar correlations. */
function boundLines(model: Autoencoder, { bound, drift }: LossReport): Line[] {
  // A decoder that restores clean rows stores no correlations, so that there is no bound.
  if (!Number.isFinite(bound)) return [];
  const chance = evenOdds(model);
  const drifting = `if each correlation may drift as it does here (${number(drift)} at most)`;
  const vacuous = `says nothing, because even odds for every bit cost only ${number(chance)}; train with --l1 lowers it`;
  return [
    ['bound', `${number(bound)} ${unitOf(model.reconstructionLoss)} per row, ${drifting}`],
    ['', bound > chance ? vacuous : undefined],
  ];
}

/** How far codes are from their optimum at most. */
function gapLines(model: Autoencoder, { loss, gap }: LossReport): Line[] {
  const unit = unitOf(model.reconstructionLoss);
  const { discrete, words } = encodingOf(model.encoding);
  const below = discrete ? ': better bits could save this at most, if there are any' : '';
  // A bound below 0 says nothing, because no loss is negative; one that equals the loss repeats the gap.
  const least = loss - gap.mean;
  const tells = discrete && least > 0 && gap.mean > 0;
  return [
    [words.gap, `mean ${number(gap.mean)}, max ${number(gap.max)} ${unit}${below}`],
    ['no bits below', tells ? `${number(least)} ${unit}, proven` : undefined],
  ];
}

/**
 * The loss of bits drawn from box codes, how thorough the search was, and codes that could not be certified.
 */
function codeLines(model: Autoencoder, report: LossReport): Line[] {
  const { n, randomised, flipOptimal, uncertified } = report;
  const { loss = 0, standardError = 0, draws } = randomised ?? {};
  const drawn = `${number(loss)} ${unitOf(model.reconstructionLoss)} expected, +- ${number(standardError)}`;
  // For bits this is no failure: most rows have no bits closer to the best code of the box.
  const failed = uncertified > 0 && !encodingOf(model.encoding).discrete;
  return [
    ['drawn bits', randomised && `${drawn} (${draws} draws)`],
    ['search', flipOptimal === undefined ? undefined : searched(flipOptimal, model.H)],
    ['not certified', failed ? `${uncertified} of ${counted(n, 'row')}` : undefined],
  ];
}

/** What the search for bits has shown, in words. */
function searched(flips: number, H: number): string {
  if (flips === H) return 'no other code is better: all were tried';
  return flips === 1
    ? 'no flip of a bit improves a code'
    : `no flip of up to ${counted(flips, 'bit')} improves a code`;
}

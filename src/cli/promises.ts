import { InvalidArgumentError, Option } from 'commander';
import type { PCAE } from '../model/model.ts';
import { evenOdds } from '../promises/ceiling.ts';
import { allPromises, assumptionsOf, saysNothing, withUnit } from '../promises/promise.ts';
import type { SameSource } from '../promises/same-source.ts';
import { percent } from '../promises/words.ts';
import { sum } from '../rows/sum.ts';
import { counted, list, number, unitOf } from './text.ts';

/** The promises of a calibrated model, as JSON and as text. */

export const confidenceOption = () =>
  new Option('--confidence <share>', 'confidence of promises about new rows').argParser(share).default(0.99);

/** A share of rows or of trust: between 0 and 1. */
export function share(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1))
    throw new InvalidArgumentError('Expected a number between 0 and 1, such as 0.95.');
  return value;
}

/** The field `promises` of results, in words. */
export const PROMISE_FIELDS =
  '[{of, bound, statement, assumes, method}]: what a calibrated model promises about new rows';

export function promisesOf(model: PCAE, confidence: number): ReturnType<typeof allPromises> | undefined {
  return model.calibration && allPromises(model, model.calibration, confidence);
}

/**
 * Lines of a list: the statements that say something, what cannot be promised and why, and what all assume.
 */
export function promiseLines(model: PCAE, confidence: number): [name: string, value: string][] {
  const found = promisesOf(model, confidence);
  if (!found) return [];
  const isEmpty = ({ of, bound }: (typeof found)[number]) => saysNothing(of, bound, model);
  const said = found.filter((one) => !isEmpty(one));
  const lines = said.map(({ statement }, i): [string, string] => [i === 0 ? 'promised' : '', statement]);
  const empty = found.filter(isEmpty).map(({ of }) => of);
  return [
    ...lines,
    ...(empty.length > 0 ? [['not promised', whyEmpty(model, empty)] as [string, string]] : []),
    ['assuming', assumptionsOf(said.length > 0 ? said : found)],
  ];
}

/** Why some promises would be no better than even odds, and what to do. */
function whyEmpty(model: PCAE, empty: readonly string[]): string {
  const { n, losses } = model.calibration!;
  const odds = evenOdds(model);
  const advice =
    sum(losses) / n < odds
      ? 'more calibration rows may promise more'
      : 'new rows cost that much, so learn fewer units or from more rows';
  return `${empty.join(', ')}: nothing better than even odds for every bit, ${withUnit(odds, model)}, follows from ${counted(n, 'row')}; ${advice}`;
}

/** The same at length: each promise with how it was found. */
export function promiseText(model: PCAE, confidence: number): string {
  const found = promisesOf(model, confidence);
  if (!found)
    return '\npromises about new rows: none yet; `pcae calibrate` makes them from rows that took no part in learning\n';
  const lines = found.flatMap(({ of, statement, method }): [string, string][] => [
    [of, statement],
    ['', `  ${method}`],
  ]);
  return `\npromises about new rows\n${list([...lines, ['assuming', assumptionsOf(found)]])}`;
}

/** Whether rows may come from the calibrated source, as a line of text. */
export function sameSourceLine({ above, pValue, line }: SameSource, model: PCAE): string {
  const unit = unitOf(model.reconstructionLoss);
  const seen = `${percent(Number(above.toPrecision(3)))} of the rows are above ${number(line)} ${unit}, where 5% are expected`;
  const verdict = pValue < 0.01 ? 'not from the calibrated source' : 'consistent with the calibrated source';
  return `${verdict}: ${seen} (p ${pValue < 1e-6 ? '< 0.000001' : `= ${number(pValue)}`})`;
}

import { encodingOf } from '../encodings/by-name.ts';
import type { EncodingName } from '../encodings/encoding.ts';
import { formatNumber } from '../figures/numbers.ts';
import type { Loss } from '../losses/loss.ts';

/** A number for people; nothing where there is none. */
export function number(value: number): string {
  return Number.isNaN(value) ? '' : formatNumber(value);
}

/** One number, or from the least to the largest of several. */
export function spread(values: number | readonly number[]): string {
  if (typeof values === 'number') return number(values);
  const ends = values.reduce(
    ([least, most], x) => [Math.min(least, x), Math.max(most, x)],
    [Number.POSITIVE_INFINITY, 0],
  );
  return `${number(ends[0])} to ${number(ends[1])}`;
}

/** What the codes of a model are. */
export function codesInWords({
  H,
  encoding,
}: {
  readonly H: number;
  readonly encoding: EncodingName;
}): string {
  const { one, which } = encodingOf(encoding).words;
  return `codes of ${H} ${one}${H === 1 ? '' : 's'}${which}`;
}

/** What a loss is counted in, per row. */
export function unitOf(loss: Pick<Loss, 'name'>): string {
  const weighted = /^cost-weighted\((.+), falseOne=/.exec(loss.name)?.[1];
  if (weighted !== undefined) return `weighted ${unitOf({ name: weighted })}`;
  return UNITS[loss.name] ?? loss.name;
}

/**
 * Bounded losses, such as Hamming, are not what codes minimise: that is a convex function above them. A
 * remark where its value is shown; nothing for other losses, where the two are the same.
 */
export function convexNote(loss: Pick<Loss, 'gamma'>): string {
  return Number.isFinite(loss.gamma(1)) ? ', the convex function that codes minimise' : '';
}

const UNITS: Record<string, string> = {
  'cross-entropy': 'nats',
  hamming: 'wrong bits',
  squared: 'squared error',
};

import { encodingOf } from '../encodings/by-name.ts';
import type { EncodingName } from '../encodings/encoding.ts';
import { formatNumber } from '../figures/figure.ts';
import type { Loss } from '../losses/loss.ts';
import { printable } from '../rows/printable.ts';

/** Lines of cells with the columns aligned: the first to the left, the others to the right. */
export function table(lines: readonly (readonly (string | number)[])[], notes?: readonly string[]): string {
  const cells = lines.map((line) =>
    line.map((cell) => (typeof cell === 'number' ? number(cell) : printable(cell))),
  );
  const widths: number[] = [];
  for (const line of cells) {
    line.forEach((cell, c) => {
      widths[c] = Math.max(widths[c] ?? 0, cell.length);
    });
  }
  return cells
    .map((line, l) => {
      const padded = widths.map((width, c) =>
        c === 0 ? (line[c] ?? '').padEnd(width) : (line[c] ?? '').padStart(width),
      );
      return `${[...padded, notes?.[l] ?? ''].join('  ').trimEnd()}\n`;
    })
    .join('');
}

/** A name and a value on each line. */
export function list(lines: readonly (readonly [name: string, value: string | number])[]): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines
    .map(
      ([name, value]) =>
        `${name.padEnd(width)}  ${typeof value === 'number' ? number(value) : printable(value)}\n`,
    )
    .join('');
}

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

/** What a loss is counted in, per example. */
export function unitOf(loss: Pick<Loss, 'name'>): string {
  const weighted = /^cost-weighted\((.+), falseOne=/.exec(loss.name)?.[1];
  if (weighted !== undefined) return `weighted ${unitOf({ name: weighted })}`;
  return UNITS[loss.name] ?? loss.name;
}

const UNITS: Record<string, string> = {
  'cross-entropy': 'nats',
  hamming: 'wrong bits',
  squared: 'squared error',
};

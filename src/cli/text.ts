import { number } from '../report/words.ts';
import { printable } from '../rows/printable.ts';

export { codesInWords, convexNote, number, spread, unitOf } from '../report/words.ts';
export { counted } from '../rows/counted.ts';

/** Lines of cells with the columns aligned: the first to the left, the others to the right. */
export function table(lines: readonly (readonly (string | number)[])[]): string {
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
    .map((line) => {
      const padded = widths.map((width, c) =>
        c === 0 ? (line[c] ?? '').padEnd(width) : (line[c] ?? '').padStart(width),
      );
      return `${padded.join('  ').trimEnd()}\n`;
    })
    .join('');
}

/** A line of a list: a name and perhaps a value. */
export type Line = readonly [name: string, value: string | number | undefined];

/** A name and a value on each line; lines without a value are left out. */
export function list(lines: readonly Line[]): string {
  const there = lines.filter(([, value]) => value !== undefined);
  const width = Math.max(...there.map(([name]) => name.length));
  return there
    .map(([name, value = '']) => {
      const text = typeof value === 'number' ? number(value) : printable(value);
      return `${name.padEnd(width)}  ${text}\n`;
    })
    .join('');
}

import { answerBit, cellNumber } from './cells.ts';
import type { OpenOptions } from './options.ts';
import type { Cells, RecordSource } from './records.ts';

/**
 * Tables in which a mark says that something is there and an empty cell that it is not: lists of species with crosses. Only
 * columns that hold nothing else are read so; an empty cell of another one is a missing entry as ever.
 */
export function withMarks(
  source: RecordSource,
  sample: readonly (readonly unknown[])[],
  mark: string,
  { missing }: Pick<OpenOptions, 'missing'>,
): RecordSource {
  const marked = sample[0].map((_, v) => isMarked(sample, v, mark, missing));
  const read = (cell: unknown, v: number) => (marked[v] ? (markBit(cell, mark) ?? cell) : cell);
  return {
    ...source,
    mark,
    async *batches() {
      for await (const batch of source.batches())
        yield batch.map((record): Cells => Array.from(record, (cell, v) => read(cell, v)));
    },
  };
}

/**
 * Whether a column holds a mark and empty cells, and nothing else; but words for a missing entry may be among them, and
 * zeros beside a mark that is no bit itself.
 */
function isMarked(
  sample: readonly (readonly unknown[])[],
  v: number,
  mark: string,
  missing: number | string | undefined,
): boolean {
  const others = sample.map((record) => record[v]).filter((cell) => markBit(cell, mark) === undefined);
  if (others.length === 0) return true;
  const word = cellNumber(mark) === undefined && answerBit(mark) === undefined;
  const isOther = (x: number | undefined) => Number.isNaN(x) || (x === 0 && word);
  return (
    others.every((cell) => isOther(cellNumber(cell, missing))) &&
    sample.some((record) => markBit(record[v], mark) === 1)
  );
}

/** 1 for the mark, in capitals or not, 0 for an empty cell, undefined for all else. */
export function markBit(cell: unknown, mark: string): 0 | 1 | undefined {
  const word = cell === null || cell === undefined ? '' : String(cell).trim();
  if (word === '') return 0;
  return word.toLowerCase() === mark.toLowerCase() ? 1 : undefined;
}

/** What to say of a cell that holds the usual mark, or that which was said. */
export function markAdvice(cell: unknown, said?: string): string {
  if (markBit(cell, said ?? 'x') !== 1) return '';
  if (said !== undefined) return ` This column holds other words than '${said}' too.`;
  return ` If '${cell}' marks a one, and an empty cell stands for a zero, say --present ${cell}.`;
}

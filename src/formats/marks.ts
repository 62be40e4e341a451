import type { Cells, RecordSource } from './records.ts';

/**
 * Tables in which a mark says that something is there and an empty cell that it is not: lists of species with crosses. Only
 * columns that hold nothing else are read so, or those that a model's rows had so (`presentIn`); an empty cell of another
 * one is a missing entry as ever. `marked` says which they are.
 */
export function withMarks(
  source: RecordSource,
  sample: readonly (readonly unknown[])[],
  mark: string,
  presentIn?: readonly string[],
): { table: RecordSource; marked: boolean[] } {
  const names = presentIn && source.columns;
  const known = new Set(presentIn);
  const marked = sample[0].map((_, v) => (names ? known.has(names[v]) : isMarked(sample, v, mark)));
  const read = (cell: unknown, v: number) => (marked[v] ? (markBit(cell, mark) ?? cell) : cell);
  const table: RecordSource = {
    ...source,
    async *batches() {
      for await (const batch of source.batches())
        yield batch.map((record): Cells => Array.from(record, (cell, v) => read(cell, v)));
    },
  };
  return { table, marked };
}

/** Whether a column holds a mark and empty cells, and nothing else. */
export function isMarked(sample: readonly (readonly unknown[])[], v: number, mark: string): boolean {
  return sample.every((record) => markBit(record[v], mark) !== undefined);
}

/** 1 for the mark, in capitals or not, 0 for an empty cell, undefined for all else. */
export function markBit(cell: unknown, mark: string): 0 | 1 | undefined {
  const word = cell === null || cell === undefined ? '' : String(cell).trim();
  if (word === '') return 0;
  return word.toLowerCase() === mark.toLowerCase() ? 1 : undefined;
}

/** What to say of a cell that holds the usual mark. */
export function markAdvice(cell: unknown): string {
  if (markBit(cell, 'x') !== 1) return '';
  return ` If '${cell}' marks a one, and an empty cell stands for a zero, say --present ${cell}.`;
}

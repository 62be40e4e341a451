import type { TableSchema } from '../../rows/schema.ts';
import { folded, ONES, ZEROS } from './cells.ts';
import type { Cells } from './records.ts';

/**
 * Collects, for each column with other words than 0 and 1, its words for them, as first written in the table.
 */
export class ColumnWords {
  private readonly words = new Map<number, [zero?: string, one?: string]>();
  private readonly known = new Map<string, 0 | 1>();
  /** For each word its opposite, for columns in which only one of the two occurs. */
  private readonly partners = new Map<string, string>();

  constructor({ ones = ONES, zeros = ZEROS }: Pick<Partial<TableSchema>, 'ones' | 'zeros'>) {
    for (const [value, mine, others] of [
      [0, zeros, ones],
      [1, ones, zeros],
    ] as const) {
      for (const [k, word] of mine.entries()) {
        if (word !== String(value)) this.known.set(folded(word), value);
        this.partners.set(folded(word), others[k] ?? String(1 - value));
      }
    }
  }

  look(record: Cells, take: readonly number[]): void {
    for (let v = 0; v < take.length; v++) {
      const cell = record[take[v]];
      const x = typeof cell === 'string' ? this.known.get(folded(cell)) : undefined;
      if (x === undefined) continue;
      const words = this.words.get(v) ?? [];
      words[x] ??= (cell as string).trim();
      this.words.set(v, words);
    }
  }

  found(columns: readonly string[] | undefined): Pick<TableSchema, 'words'> {
    const partner = (word = '') => this.partners.get(folded(word)) ?? '';
    const found = Array.from(this.words, ([v, [zero, one]]) => {
      return [columns?.[v] ?? String(v), [zero ?? partner(one), one ?? partner(zero)]] as const;
    });
    return found.length > 0 ? { words: Object.fromEntries(found) } : {};
  }
}

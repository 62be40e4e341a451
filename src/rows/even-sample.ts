import { collect } from './memory.ts';
import { pickNames } from './names.ts';
import { type Rows, takeRows } from './rows.ts';
import type { RowSource } from './source.ts';

/** At most `most` rows, evenly spaced over the source. */
export function evenSample(source: RowSource, most: number): Promise<Rows> {
  const { n } = source;
  if (n <= most) return collect(source);
  return collect({
    ...source,
    ids: source.ids && pickNames(source.ids, most, place),
    n: most,
    async *chunks(size) {
      let first = 0;
      let taken = 0;
      for await (const rows of source.chunks(size)) {
        const here: number[] = [];
        for (let row = place(taken); row < first + rows.n && taken < most; row = place(++taken))
          here.push(row - first);
        if (here.length > 0) yield takeRows(rows, here);
        first += rows.n;
      }
    },
  });

  function place(k: number): number {
    return Math.floor((k * n) / most);
  }
}

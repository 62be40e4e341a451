import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aboutColumns } from '../../src/rows/about.ts';
import { corrupt } from '../../src/rows/corrupt.ts';
import { hideEntries } from '../../src/rows/hide.ts';
import { collect, memorySource } from '../../src/rows/memory.ts';
import { type Rows, rowBytes, sliceRows, takeRows } from '../../src/rows/rows.ts';
import { selectColumns, selectRows, takeColumns } from '../../src/rows/select.ts';
import { holds } from '../property.ts';

const V = 6;
const about = {
  columns: ['a', 'b', 'c', 'd', 'e', 'f'],
  groups: [{ name: 'g', first: 1, values: ['b', 'c'] }],
  image: { height: 2, width: 3 },
  schema: { values: 'unit', binarize: 'none', seed: 0, kind: 'bits' },
} as const;

function rowsOf(n: number): Rows {
  const bits = Uint8Array.from({ length: n * rowBytes(V) }, (_, i) => (i * 37) & 63);
  const ids = Object.assign(
    Array.from({ length: n }, (_, i) => `row ${i}`),
    { heading: 'name' },
  );
  return { kind: 'bits', n, V, bits, ids, ...about };
}

const names = ({ ids }: Rows) => ids && [...ids];

it('what is known of rows goes wherever they go, and each row keeps its name', async () => {
  await holds(
    fc.asyncProperty(fc.integer({ min: 2, max: 40 }), fc.nat(), fc.nat(), async (n, a, b) => {
      const rows = rowsOf(n);
      const [start, end] = [a % n, (a % n) + 1 + (b % (n - (a % n)))];
      const order = Uint32Array.from({ length: n }, (_, i) => (i * (2 * a + 1) + b) % n);
      const expected = (chosen: number[]) => chosen.map((i) => `row ${i}`);
      const range = Array.from({ length: end - start }, (_, i) => start + i);
      for (const [part, chosen] of [
        [sliceRows(rows, start, end), range],
        [takeRows(rows, order), [...order]],
        [sliceRows(takeRows(rows, order), start, end), range.map((i) => order[i])],
        [await collect(memorySource(rows)), [...Array(n).keys()]],
        [await collect(selectRows(memorySource(rows), range)), range],
        [corrupt(rows, { kind: 'hide', rho: 0.5 }), [...Array(n).keys()]],
        [hideEntries(rows, 0.5, 1).shown, [...Array(n).keys()]],
      ] as const) {
        expect(names(part)).toEqual(expected([...chosen]));
        expect(part.ids).toMatchObject({ heading: 'name', length: part.n });
        expect(part.ids?.at(-1)).toBe(`row ${chosen.at(-1)}`);
        expect(part.ids?.at(part.n)).toBeUndefined();
        expect(aboutColumns(part)).toEqual(about);
      }
    }),
    { seed: 1, numRuns: 50 },
  );
});

it('chosen columns keep their names; categories and pictures need all of theirs', async () => {
  const rows = rowsOf(3);
  for (const part of [takeColumns(rows, [4, 1]), await collect(selectColumns(memorySource(rows), [4, 1]))]) {
    expect(part).toMatchObject({ columns: ['e', 'b'], schema: about.schema });
    expect(names(part)).toEqual(['row 0', 'row 1', 'row 2']);
    expect(part.groups).toBeUndefined();
    expect(part.image).toBeUndefined();
  }
});

it('rows are not said to be what they cannot be', () => {
  const rows = { kind: 'bits', n: 2, V, bits: new Uint8Array(2) } as const;
  const said = (more: object) => () => memorySource({ ...rows, ...more });
  expect(said({ columns: ['a'] })).toThrow('1 column names were given for 6 columns');
  expect(said({ ids: ['a'] })).toThrow('1 row names were given for 2 rows');
  expect(said({ image: { height: 2, width: 2 } })).toThrow('2 x 2 pictures have 4 entries, not 6');
  expect(said({ groups: [{ name: 'g', first: 5, values: ['x', 'y'] }] })).toThrow(
    "'g' has columns 5 to 6 of only 6",
  );
});

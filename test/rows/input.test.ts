import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digits } from '../../src/data/digits.ts';
import { asRows, asSource, type RowsInMemory, readRows } from '../../src/rows/input.ts';
import { collect, memorySource } from '../../src/rows/memory.ts';
import { entry, type Rows } from '../../src/rows/rows.ts';
import { holds } from '../property.ts';

const table = (rows: Rows) =>
  Array.from({ length: rows.n }, (_, i) => Array.from({ length: rows.V }, (_, v) => entry(rows, i, v)));

describe('what rows may come as', () => {
  it('the same rows in every way give the same entries, bit for bit', async () => {
    const size = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 19 }));
    const entries = fc.constantFrom('bits', 'signs', 'unit', 'missing');
    await holds(
      fc.asyncProperty(size, entries, fc.nat(), async ([n, V], kind, seed) => {
        const draw = (k: number) => (Math.imul(k + seed + 1, 2654435761) >>> 8) / 2 ** 24;
        const number = (k: number) => {
          const u = draw(k);
          if (kind === 'missing' && u < 0.3) return Number.NaN;
          if (kind === 'unit') return Math.fround(u);
          return kind === 'signs' ? (u < 0.5 ? -1 : 1) : u < 0.5 ? 0 : 1;
        };
        const values = kind === 'signs' ? 'signs' : 'unit';
        const missing = kind === 'missing' ? Number.NaN : undefined;
        const data = Float64Array.from({ length: n * V }, (_, k) => number(k));
        const nested = Array.from({ length: n }, (_, i) => Array.from(data.subarray(i * V, (i + 1) * V)));
        const flat = asRows({ data, n, V, values, missing });
        const same: RowsInMemory[] = [
          flat,
          { data: Float32Array.from(data), n, V, values, missing },
          { data: Array.from(data), n, V, values, missing },
          { data: nested, values, missing },
          { data: nested, n, V, values, missing },
          { data: nested.map((row) => Float32Array.from(row)), values, missing },
          { data: nested.map((row) => row.map((x) => (Number.isNaN(x) ? null : x))), values, missing },
          ...(kind === 'missing' || (kind === 'signs' && !data.includes(-1)) ? [] : [nested]),
          ...(kind === 'bits'
            ? [nested.map((row) => row.map(Boolean)), { data: Uint8Array.from(data), n, V }]
            : []),
        ];
        for (const input of same) {
          expect(asRows(input)).toEqual(flat);
          expect(await readRows(input)).toEqual(flat);
          expect(await collect(asSource(input))).toEqual(await collect(memorySource(flat)));
        }
        expect(table(await readRows(memorySource(flat)))).toEqual(table(flat));
        const expected = nested.map((row) => row.map((x) => (values === 'signs' ? x : 2 * x - 1)));
        expect(table(flat)).toEqual(expected.map((row) => row.map(Math.fround)));
        expect(flat.kind).toBe(
          expected.flat().every((x) => Math.abs(x) === 1 || Number.isNaN(x)) ? 'bits' : 'real',
        );
      }),
      { seed: 5, numRuns: 60 },
    );
  });

  it('say what they are called, beside their entries', () => {
    const rows = asRows({
      data: [
        [0, 1],
        [1, 1],
      ],
      columns: ['tea', 'milk'],
      ids: ['ann', 'bob'],
    });
    expect(rows).toMatchObject({ kind: 'bits', n: 2, V: 2, columns: ['tea', 'milk'], ids: ['ann', 'bob'] });
    expect(() => asRows({ data: [[0, 1]], columns: ['tea'] })).toThrow(
      '1 column names were given for 2 columns',
    );
  });

  it('numbers that may stand for two things stand for what a model learned from', () => {
    const like = { values: 'signs', binarize: 'none', seed: 0, kind: 'real' } as const;
    expect(table(asRows([[0.5, 0]], 'rows', like))).toEqual([[0.5, 0]]);
    expect(table(asRows([[0.5, 0]]))).toEqual([[0, -1]]);
    expect(table(asRows({ data: [[0.5, 0]], values: 'unit' }, 'rows', like))).toEqual([[0, -1]]);
    expect(() => asRows([[3, 0]], 'rows', like)).toThrow("as the rows learned from have, or values: 'unit'");
  });
});

describe('grey pictures', () => {
  const { train } = digits({ train: 5, test: 1 });
  const grey = (rows: Rows) => table(rows).flat();

  it('are sampled unless somebody says otherwise, and carry their size and how they were read', () => {
    const rows = asRows(train);
    const schema = { values: 'bytes', binarize: 'sample', seed: 0, kind: 'bits' };
    expect(rows).toMatchObject({ kind: 'bits', n: 5, V: 784, image: { height: 28, width: 28 }, schema });
    expect(asRows(train)).toEqual(rows);
    expect(grey(asRows({ ...train, seed: 1 }))).not.toEqual(grey(rows));
    const signs = Array.from(train.images, (level) => (level > 127.5 ? 1 : -1));
    expect(grey(asRows({ ...train, binarize: 'threshold' }))).toEqual(signs);
    const kept = asRows({ ...train, binarize: 'none' });
    expect(kept).toMatchObject({ kind: 'real', schema: { binarize: 'none', kind: 'real' } });
    expect(grey(kept)).toEqual(Array.from(train.images, (level) => Math.fround((2 * level) / 255 - 1)));
  });

  it('become bits as those of a model did', () => {
    const like = { values: 'bytes', binarize: 'threshold', seed: 0, kind: 'bits' } as const;
    expect(asRows(train, 'rows', like)).toEqual(asRows({ ...train, binarize: 'threshold' }));
    expect(asRows({ ...train, binarize: 'none' }, 'rows', like).kind).toBe('real');
  });

  it('of black and white need no draws', () => {
    const images = Uint8Array.of(0, 255, 255, 0);
    const rows = asRows({ n: 1, height: 2, width: 2, images });
    expect(rows).toMatchObject({ kind: 'bits', schema: { binarize: 'none' } });
    expect(grey(rows)).toEqual([-1, 1, 1, -1]);
  });

  it('of another size than their bytes are refused', () => {
    expect(() => asRows({ ...train, n: 4 })).toThrow(
      'rows.images: expected 4 x 28 x 28 = 3136 bytes, got Uint8Array of 3920',
    );
  });
});

describe('what is no rows is refused with what to do', () => {
  it.each([
    [undefined, 'expected arrays as in [[0, 1], [1, 0]], a table { data, n, V }'],
    [{ rows: 1 }, 'got an object with rows'],
    [
      new Float32Array(4),
      'got a Float32Array; a single row is [row], and a table says its shape, as in { data, n: ',
    ],
    [[0, 1, 1], 'got an array of numbers; a single row is [row]'],
    [[{ a: 1 }], 'openSource), got an array of objects'],
    ['a.csv', 'or a source of rows (of a file: openSource), got a.csv'],
    [[], 'there are no rows'],
    [[[]], 'V: expected the number of columns, at least 1, got 0'],
    [[[0, 1], [0]], 'row 1 has 1 entry, those before have 2'],
    [[[0, 1], 7], 'row 1 is not an array, got 7'],
    [[[0, 'yes']], "row 0: expected numbers or booleans, got 'yes' at 1"],
    [
      [[0, null]],
      'found NaN in row 0, column 1, expected a number in [0, 1]; missing entries need missing: NaN',
    ],
    [[[0, 2]], 'found 2 in row 0, column 1, expected a number in [0, 1]; grey levels are pictures'],
    [{ data: [0, 1, [1]], n: 3, V: 1 }, 'got an array at 2'],
    [{ data: [[0, 1]], n: 2 }, 'n: said to be 2, but the arrays have 1'],
    [{ data: [0, 1], n: 1, V: 3 }, 'expected n * V = 1 * 3 = 3 entries, got 2'],
    [{ data: 'abc', n: 1, V: 3 }, 'data: expected an array, got string'],
    [{ data: [[0]], values: 'grey' }, "values: expected 'unit' or 'signs', got 'grey'"],
    [
      { kind: 'bits', n: 2, V: 9, bits: new Uint8Array(3) },
      'bits: expected 4 entries for 2 rows of 9 columns, 2 each, got 3',
    ],
    [{ kind: 'bits', n: 2, V: 9, bits: [0, 0, 0, 0] }, 'bits: expected a Uint8Array, got Array'],
    [{ kind: 'real', n: 1, V: 2, values: Float32Array.of(0, 2) }, 'found 2 in row 0, column 1'],
    [{ kind: 'real', n: 1, V: 2, values: new Float64Array(2) }, 'expected a Float32Array, got Float64Array'],
    [{ kind: 'none', n: 1, V: 2 }, "kind: expected 'bits' or 'real', got none"],
    [memorySource(asRows([[0]])), 'expected rows in memory, got a source of rows; `await collect(source)`'],
  ])('%j', (input, message) => {
    expect(() => asRows(input as RowsInMemory)).toThrow(message);
  });
});

it('says with `missing` which numbers stand for a missing entry, as it does for files', () => {
  const told = asRows({ data: [1, -9, 0, 99], n: 2, V: 2, missing: [-9, 99] });
  expect(told).toEqual(asRows({ data: [1, Number.NaN, 0, Number.NaN], n: 2, V: 2, missing: Number.NaN }));
  const flag = { data: [1, Number.NaN], n: 1, V: 2, missing: true } as never;
  expect(() => asRows(flag)).toThrow(
    /rows\.missing: expected the number that stands for a missing entry.*got true/,
  );
});

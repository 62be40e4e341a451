import { describe, expect, test } from 'vitest';
import { memorySource } from '../../src/rows/memory.ts';
import type { RealRows } from '../../src/rows/rows.ts';
import { allBut, resolveSelection, selectColumns, selectRows } from '../../src/rows/select.ts';
import { signs, spelled, tableOf } from '../formats/helpers.ts';

describe('selections', () => {
  test.each([
    ['0:3', [0, 1, 2]],
    ['7:', [7, 8, 9]],
    [':2,5', [0, 1, 5]],
    ['-2:', [8, 9]],
    ['-1, 0', [9, 0]],
  ])('%s of ten', (text, expected) => {
    expect(Array.from(resolveSelection(text, 10, 'row'))).toEqual(expected);
  });

  test('names', () => {
    expect(Array.from(resolveSelection('b,0', 2, 'column', ['a', 'b']))).toEqual([1, 0]);
    expect(Array.from(resolveSelection(['a,b'], 2, 'column', ['x', 'a,b']))).toEqual([1]);
  });

  const odd = ['bread, dark', 'milk', '"tea"', '7', 'all but'];

  test.each([
    ['"bread, dark",milk', [0, 1]],
    [' milk , "bread, dark" ', [1, 0]],
    ['"""tea""",3', [2, 3]],
    ['"7"', [3]],
    ['all but "bread, dark",7', [1, 2, 4]],
    ['All but 1:', [0]],
    ['all but', [4]],
  ])('%s, with quotes as in CSV', (text, expected) => {
    expect(Array.from(resolveSelection(text, 5, 'column', odd))).toEqual(expected);
  });

  test('a name in quotes is no number, and what is left out must be there', () => {
    expect(() => resolveSelection('"0"', 5, 'column', odd)).toThrow("no column '0'");
    expect(() => resolveSelection('all but beer', 5, 'column', odd)).toThrow("no column 'beer'");
    expect(() => resolveSelection('all but 0:5', 5, 'column', odd)).toThrow('leaves no column');
  });

  test('names are shown as they are typed', () => {
    expect(() => resolveSelection('bread, dark', 5, 'column', odd)).toThrow(
      'there are "bread, dark", milk, """tea""", 7',
    );
    const [name] = odd;
    expect(allBut(name)).toBe('all but "bread, dark"');
    expect(Array.from(resolveSelection(allBut(name), 5, 'column', odd))).toEqual([1, 2, 3, 4]);
  });

  test.each([
    ['10', 'no row 10'],
    ['x', 'no names'],
    ['1,1', 'twice'],
    ['5:5', 'leaves no row'],
    ['', 'no names'],
  ])("'%s' is refused", (text, message) => {
    expect(() => resolveSelection(text, 10, 'row')).toThrow(message);
  });

  test('unknown names are told with some known ones', () => {
    expect(() => resolveSelection('z', 2, 'column', ['a', 'b'])).toThrow("no column 'z'; there are a, b");
  });
});

describe('selected sources', () => {
  const bits = Uint8Array.from([0b0101, 0b0010, 0b1000, 0b1111]);
  const known = Uint8Array.from([15, 15, 14, 15]);
  const source = memorySource(
    { kind: 'bits', n: 4, V: 4, bits, known },
    { columns: ['a', 'b', 'c', 'd'], ids: ['p', 'q', 'r', 's'] },
  );

  test('rows come in file order, columns in the order given', async () => {
    const rows = selectRows(source, 's,0,2');
    expect(spelled(rows)).toMatchObject({ n: 3, ids: ['p', 'r', 's'] });
    expect(await tableOf(rows)).toEqual(
      signs([
        [1, 0, 1, 0],
        [null, 0, 0, 1],
        [1, 1, 1, 1],
      ]),
    );
    for await (const chunk of rows.chunks(1)) expect(chunk.n).toBe(1);
    const columns = selectColumns(source, ['d', 'a']);
    expect(columns).toMatchObject({ V: 2, columns: ['d', 'a'] });
    expect(await tableOf(columns)).toEqual(
      signs([
        [0, 1],
        [0, 0],
        [1, null],
        [1, 1],
      ]),
    );
  });

  test('real values', async () => {
    const rows: RealRows = {
      kind: 'real',
      n: 2,
      V: 3,
      values: Float32Array.from([0, 0.5, 1, -1, -0.5, 0.25]),
    };
    expect(await tableOf(selectColumns(memorySource(rows), '2,1'))).toEqual([
      [1, 0.5],
      [0.25, -0.5],
    ]);
  });
});

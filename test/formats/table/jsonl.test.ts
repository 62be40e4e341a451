import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../../src/formats/bytes.ts';
import { openBytes } from '../../../src/formats/open.ts';
import type { OpenOptions } from '../../../src/formats/options.ts';
import { openJsonl } from '../../../src/formats/table/jsonl.ts';
import { encodeJsonl } from '../../../src/formats/table/write-jsonl.ts';
import type { RowsAbout } from '../../../src/rows/about.ts';
import { FormatError } from '../../../src/rows/errors.ts';
import { memorySource } from '../../../src/rows/memory.ts';
import { concat, signs, spelled, survivesDamage, tableOf, text } from '../helpers.ts';

const open = (content: string, options: OpenOptions = {}) =>
  openBytes(text('a', content), { ...options, format: 'jsonl' });

describe('JSON lines', () => {
  test('arrays', async () => {
    expect(await tableOf(await open('[0,1,null]\n[true,false,1]\n'))).toEqual(
      signs([
        [0, 1, null],
        [1, 0, 1],
      ]),
    );
  });

  test('objects of numbers', async () => {
    const source = await open('{"a":0,"b":1}\n{"b":0,"a":1}\n');
    expect(source.columns).toEqual(['a', 'b']);
    expect(await tableOf(source)).toEqual(
      signs([
        [0, 1],
        [1, 0],
      ]),
    );
  });

  test('names of rows that look like bits, as they are written', async () => {
    const source = await open('{"plot":"0","a":0,"b":1}\n{"plot":"1","a":1,"b":null}\n');
    expect(spelled(source)).toMatchObject({ columns: ['a', 'b'], ids: ['0', '1'] });
    for (const bits of [
      '{"a":"0","b":1}\n{"a":"1","b":0}\n{"a":"1","b":0}\n',
      '{"a":"yes","b":1}\n{"a":"no","b":0}\n',
    ])
      expect(await open(bits)).toMatchObject({ V: 2, ids: undefined });
  });

  test('objects with other names than the first', async () => {
    const lines = '{"a":0,"b":1}\n{"a":1}\n{"a":1,"c":1,"b":0}\n';
    await expect(open(lines)).rejects.toThrow("line 3: has 'c', which the first object does not have");
    expect(await tableOf(await open(lines, { columns: 'a,b' }))).toEqual(
      signs([
        [0, 1],
        [1, null],
        [1, 0],
      ]),
    );
  });

  test('lists of items', async () => {
    const source = await open(
      '{"id":"x","words":["tea","milk"]}\n{"id":"y","words":[]}\n{"id":"z","words":["tea"]}\n',
    );
    expect(spelled(source)).toMatchObject({ ids: ['x', 'y', 'z'], columns: ['milk', 'tea'] });
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 1],
        [0, 0],
        [0, 1],
      ]),
    );
  });

  test('lists of items beside more than their names', async () => {
    const lines = '{"id":"a","day":"d1","tags":["x","y"]}\n{"id":"b","day":"d2","tags":["y"]}\n';
    const ids = async (options: OpenOptions) => spelled(await open(lines, options)).ids;
    expect(await ids({})).toEqual(['a', 'b']);
    expect(await ids({ idColumn: 'day' })).toEqual(['d1', 'd2']);
    expect(await ids({ idColumn: false })).toBeUndefined();
    expect((await open(lines.replaceAll('"b"', '"a"'))).ids).toBeUndefined();
    const two = lines.replaceAll(/"day":"d.",/g, '');
    expect(await open(two, { columns: 'y' })).toMatchObject({ V: 1, n: 2 });
    for (const content of [lines, two]) {
      await expect(open(content, { idColumn: 'nope' })).rejects.toThrow("no column 'nope'");
      await expect(open(content, { idColumn: 'tags' })).rejects.toThrow("'tags' holds lists");
    }
  });

  test('lists of items without names, where that is said', async () => {
    const source = await open('["tea","milk"]\n[]\n["tea"]\n', { layout: 'items' });
    expect(source.columns).toEqual(['milk', 'tea']);
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 1],
        [0, 0],
        [0, 1],
      ]),
    );
    expect(await open('{"a":["tea"]}\n', { layout: 'items' })).toMatchObject({ columns: ['tea'] });
    await expect(open('{"a":1}\n', { layout: 'items' })).rejects.toThrow('leave --layout items out');
  });

  test('unknown items are left out where that is asked for', async () => {
    const options = { like: { V: 1, columns: ['tea'] }, ignoreUnknown: true };
    const source = await open('{"id":"x","words":["tea","milk"]}\n{"id":"y","words":["beer"]}\n', options);
    expect(spelled(source)).toMatchObject({ ids: ['x', 'y'], columns: ['tea'] });
    expect(await tableOf(source)).toEqual(signs([[1], [0]]));
  });

  test('nothing in a list is no item', async () => {
    const source = await open('{"words":["tea",null]}\n{"words":["", "milk"]}\n');
    expect(source.columns).toEqual(['milk', 'tea']);
  });

  test('lists of numbers that are items or entries', async () => {
    expect(await open('{"w":[3,5]}\n{"w":[5]}\n')).toMatchObject({
      columns: ['3', '5'],
      schema: { layout: 'items' },
    });
    expect(await open('{"w":[0,1]}\n{"w":[1,0]}\n')).toMatchObject({ V: 2, schema: { layout: 'wide' } });
    const open2 = (options: OpenOptions) => open('{"w":[3,5]}\n{"w":[5,0]}\n', options);
    await expect(open2({})).rejects.toThrow(
      'Use --layout items (they are the items of a row) or --layout wide --values',
    );
    expect(await open2({ layout: 'items' })).toMatchObject({ columns: ['0', '3', '5'] });
    expect(await tableOf(await open2({ layout: 'wide', values: 'presence' }))).toEqual([
      [1, 1],
      [1, -1],
    ]);
  });

  test('pairs of words are asked about', async () => {
    await expect(open('["b1","tea"]\n["b1","milk"]\n')).rejects.toThrow('--layout long');
  });

  test('lines without end, and brackets without end, are refused with the name of the file', async () => {
    const long = `[${'0,'.repeat(600_000)}1]\n`;
    await expect(open(long, { maxBytes: 2 ** 20 })).rejects.toThrow(
      'a: has a line longer than 4096 characters',
    );
    for (const deep of [
      `${'['.repeat(50_000)}${']'.repeat(50_000)}\n`,
      `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}\n`,
    ])
      await expect(open(deep)).rejects.toBeInstanceOf(FormatError);
    await expect(open(`[1,0]\n[${'['.repeat(50_000)}\n`)).rejects.toThrow('a, line 2: is not JSON');
  });

  test('errors name the line', async () => {
    await expect(open('[0,1]\nx\n')).rejects.toThrow('line 2: is not JSON');
    await expect(open('[0,1]\n{"a":1}\n')).rejects.toThrow('mixed');
    const latin1 = Uint8Array.of(
      ...new TextEncoder().encode('{"gr'),
      0xf6,
      ...new TextEncoder().encode('":1}'),
    );
    await expect(openJsonl(memoryBytes('a', latin1), {})).rejects.toThrow('UTF-8');
    await expect(open('3\n')).rejects.toThrow('array or an object');
  });

  test('an array of all rows is told to become lines', async () => {
    for (const file of [
      '[[0,1],[1,0]]',
      '[{"a":0},{"a":1}]\n',
      '[\n  {"a":0},\n  {"a":1}\n]\n',
      '[{"a":0},\n{"a":1}]',
    ])
      await expect(open(file)).rejects.toThrow(/^a: is one JSON array of rows\. .* jq -c '\.\[\]' FILE/);
    expect((await open('["tea","milk"]\n["tea"]\n["milk"]\n', { layout: 'items' })).n).toBe(3);
  });

  test('what is written is read again, with and without names', async () => {
    const rows = { kind: 'bits', n: 2, V: 3, bits: Uint8Array.of(5, 2), known: Uint8Array.of(7, 6) } as const;
    for (const names of [{}, { ids: ['x', 'y'] }, { columns: ['"a"', 'b', 'ß'] }]) {
      const source = memorySource(rows, names);
      const again = await openJsonl(memoryBytes('a', await concat(encodeJsonl(source))), {});
      expect(spelled(again)).toMatchObject({ ids: source.ids, columns: source.columns });
      expect(await tableOf(again)).toEqual(await tableOf(source));
    }
  });

  test('columns that have names are written as objects, unless these would lose or reorder them', async () => {
    const rows = { kind: 'bits', n: 1, V: 2, bits: Uint8Array.of(2), known: Uint8Array.of(3) } as const;
    const written = async (names: RowsAbout) =>
      new TextDecoder().decode(await concat(encodeJsonl(memorySource(rows, names))));
    expect(await written({ columns: ['a', 'b'], ids: ['x'] })).toBe('{"id":"x","a":0,"b":1}\n');
    expect(await written({ columns: ['id', 'b'], ids: ['x'] })).toBe('{"row_id":"x","id":0,"b":1}\n');
    expect(await written({ columns: ['a', 'a'], ids: ['x'] })).toBe('{"id":"x","row":[0,1]}\n');
    expect(await written({ columns: ['a', 'a'] })).toBe('[0,1]\n');
    expect(await written({ columns: ['2', '10'], ids: ['x'] })).toBe('{"id":"x","2":0,"10":1}\n');
    expect(await written({ columns: ['10', '2'], ids: ['x'] })).toBe('{"id":"x","row":[0,1]}\n');
    expect(await written({ columns: ['a', '2'] })).toBe('[0,1]\n');
  });

  test('survives damage', async () => {
    const file = new TextEncoder().encode('{"a":0,"b":[1,0]}\n{"b":[0,1],"a":1}\n');
    await survivesDamage(file, 'x.jsonl', (bytes) => openJsonl(bytes, {}));
  });
});

import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { encodeRows } from '../../src/formats/encode.ts';
import { openBytes } from '../../src/formats/open.ts';
import type { OpenOptions } from '../../src/formats/options.ts';
import { collect, memorySource } from '../../src/rows/memory.ts';
import type { RowSource } from '../../src/rows/source.ts';
import { concat, spelled, tableOf, text } from './helpers.ts';

const NAMED = ['csv', 'tsv', 'bits', 'parquet', 'jsonl'] as const;

const open = (content: string, options: OpenOptions = {}) => openBytes(text('a.csv', content), options);
const again = async (source: RowSource, format: (typeof NAMED)[number], options: OpenOptions = {}) =>
  openBytes(memoryBytes(`b.${format}`, await concat(encodeRows(source, format))), options);

describe.each(NAMED)('%s keeps names', (format) => {
  test('of columns, of rows, and what the column of these is called', async () => {
    const source = await open('customer_id,milk,id\nc1,0,1\nc2,1,0\nc3,1,1\n', { rows: '1:' });
    const back = await again(source, format);
    expect(spelled(back)).toMatchObject({ columns: ['milk', 'id'], ids: ['c2', 'c3'] });
    expect(back.ids?.heading).toBe('customer_id');
    expect(await tableOf(back)).toEqual(await tableOf(source));
  });

  test('where a column has the name that rows are named by', async () => {
    const rows = await collect(await open('0,1\n1,0\n'));
    const source = memorySource(rows, { columns: ['id', 'row_id'], ids: ['x', 'y'] });
    const back = await again(source, format);
    expect(spelled(back)).toMatchObject({ columns: ['id', 'row_id'], ids: ['x', 'y'] });
    expect(await tableOf(back)).toEqual(await tableOf(source));
  });

  test('that are numbers', async () => {
    const source = await open('basket,7,12,105\n901,0,1,1\n902,1,0,1\n', { idColumn: 'basket' });
    const back = await again(source, format, { like: source });
    expect(spelled(back)).toMatchObject({ columns: ['7', '12', '105'], ids: ['901', '902'] });
    expect(await tableOf(back)).toEqual(await tableOf(source));
  });
});

test('JSON lines keep the order of columns whose names are numbers', async () => {
  const source = await open('species,10,5,2\nfern,0,1,1\nmoss,1,0,1\n', { header: true });
  const back = await again(source, 'jsonl');
  expect(spelled(back).ids).toEqual(['fern', 'moss']);
  expect(await tableOf(back)).toEqual(await tableOf(source));
});

test.each(NAMED)('%s keeps a single column whose name holds a bar', async (format) => {
  const source = memorySource({ kind: 'bits', n: 2, V: 1, bits: Uint8Array.of(1, 0) }, { columns: ['a|b'] });
  const back = await again(source, format);
  expect(back.columns).toEqual(['a|b']);
  expect(await tableOf(back)).toEqual(await tableOf(source));
});

test('rows of a long table are named by its first column', async () => {
  const source = await open('basket,item\n1,milk\n1,tea\n2,milk\n', { layout: 'long' });
  expect(source.ids?.heading).toBe('basket');
  const written = new TextDecoder().decode(await concat(encodeRows(source, 'csv')));
  expect(written).toBe('basket,milk,tea\n1,1,1\n2,1,0\n');
});

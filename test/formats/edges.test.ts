import { describe, expect, test } from 'vitest';
import { openBytes } from '../../src/formats/open.ts';
import type { OpenOptions } from '../../src/formats/options.ts';
import { signs, spelled, survivesDamage, tableOf, text } from './helpers.ts';

const open = (content: string, options: OpenOptions = {}) => openBytes(text('a.csv', content), options);
const rows = signs([
  [0, 1],
  [1, null],
]);

describe('what spreadsheets leave at the ends of a table', () => {
  test.each([
    ['lines', 'site;oak;fir\na;0;1\nb;1;\n;;\n;;\n', {}],
    ['a column', 'site;oak;fir;\na;0;1;\nb;1;;\n', {}],
    ['both', 'site;oak;fir;;\na;0;1;;\nb;1;;;\n;;;;\n', {}],
    ['both, quoted', 'site,oak,"fir",\na,0,1,\nb,1,,\n,,,\n', {}],
    ['lines below numbers of rows', 'site,oak,fir\n11,0,1\n12,1,\n,,\n', {}],
    ['a line within', 'site;oak;fir;\na;0;1;\n;;;\nb;1;;\n', {}],
  ])('%s', async (_, content, options) => {
    const source = await open(content, options);
    expect(spelled(source)).toMatchObject({ n: 2, columns: ['oak', 'fir'] });
    expect(source.ids?.length).toBe(2);
    expect(await tableOf(source)).toEqual(rows);
  });

  test('beside categories', async () => {
    const content = 'site;oak;soil;\na;0;wet;\nb;1;;\nc;;dry;\n;;;\n';
    const source = await open(content, { categorical: true });
    expect(spelled(source)).toMatchObject({ columns: ['oak', 'soil=dry', 'soil=wet'], ids: ['a', 'b', 'c'] });
  });

  test('beside crosses', async () => {
    const source = await open('site;oak;fir;\na;;x;\nb;x;;\n;;;\n', { present: 'x' });
    expect(spelled(source)).toMatchObject({ n: 2, columns: ['oak', 'fir'], ids: ['a', 'b'] });
  });

  test('rows of which nothing is known stay, where they have no names', async () => {
    expect(await open('oak,fir\n0,1\n1,\n,\n')).toMatchObject({ n: 3 });
    expect(await open('oak,fir\n0,1\n1,\n,\n0,1\n')).toMatchObject({ n: 4 });
    expect(await open('oak,fir\nx,\n,x\n,\n', { present: 'x' })).toMatchObject({ n: 3 });
    expect(await open('colour,drink\nred,tea\nred,\n,\n', { categorical: true })).toMatchObject({ n: 3 });
  });

  test('a column without a name that holds something late is refused', async () => {
    const lines = Array.from({ length: 1200 }, (_, i) => `r${i};0;1;${i === 1100 ? 7 : ''}`);
    await expect(open(`site;oak;fir;\n${lines.join('\n')}\n`)).rejects.toThrow(
      "row 1101: found '7' in a column without a name",
    );
  });

  test('models that have such a column still find it', async () => {
    const like = { V: 3, columns: ['oak', 'fir', ''] };
    expect(await open('site;oak;fir;\na;0;1;\nb;1;;\n', { like })).toMatchObject({ n: 2, V: 3 });
    await expect(open('site;oak;fir\na;0;1\nb;1;\n', { like })).rejects.toThrow("training rows: ''");
  });

  test('survive damage', async () => {
    const bytes = new TextEncoder().encode('site;oak;fir;\na;0;1;\nb;1;;\n;;;\n');
    await survivesDamage(bytes, 'x.csv', (b) => openBytes(b, { format: 'csv' }), 300);
  });
});

import { describe, expect, test } from 'vitest';
import { openBytes } from '../../src/formats/open.ts';
import type { OpenOptions } from '../../src/formats/options.ts';
import { signs, spelled, survivesDamage, tableOf, text } from './helpers.ts';

const open = (content: string, options: OpenOptions = {}) => openBytes(text('a.csv', content), options);
const present = 'x';

describe('crosses and empty cells', () => {
  test.each([
    ['names of rows and columns', 'site,oak,fir,yew\ns1,,x,X\ns2,x,,\n', ['oak', 'fir', 'yew'], ['s1', 's2']],
    ['crosses in the first row', 'oak,fir,yew\n,x,x\nx,,\n', ['oak', 'fir', 'yew'], undefined],
    ['no names', ',x,x\nx,,\n', undefined, undefined],
    ['a row called x', 'site,oak,fir,yew\nx,,x,x\n,x,,\ns3,x,,\n', ['oak', 'fir', 'yew'], ['x', '', 's3']],
  ])('%s', async (_, content, columns, ids) => {
    const source = await open(content, { present });
    expect(spelled(source)).toMatchObject({ V: 3, columns, ids });
    expect((await tableOf(source)).slice(0, 2)).toEqual(
      signs([
        [0, 1, 1],
        [1, 0, 0],
      ]),
    );
  });

  test('below names, nothing but crosses', async () => {
    const source = await open('oak,fir\nx,x\nx,\n', { present });
    expect(source).toMatchObject({ n: 2, columns: ['oak', 'fir'], ids: undefined });
  });

  test('stand beside columns in which an empty cell is missing', async () => {
    const source = await open('site,oak,wet,soil\ns1,x,1,clay\ns2,,,sand\ns3,,0,\n', {
      present,
      categorical: true,
    });
    expect(source.columns).toEqual(['oak', 'wet', 'soil=clay', 'soil=sand']);
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 1, 1, 0],
        [0, null, 0, 1],
        [0, 0, null, null],
      ]),
    );
  });

  test('are not read unasked, but told of', async () => {
    const content = 'site,oak,fir\ns1,X,\ns2,,X\ns3,,\n';
    await expect(open(content)).rejects.toThrow("found 'X', expected a number. If 'X' marks a one");
    await expect(open(content, { categorical: true })).rejects.toThrow(
      /column 'oak': holds nothing but 'X'.*say --present X/,
    );
    // A column of one word and gaps may be a category all the same.
    const land = await open('site,land\ns1,DE\ns2,\ns3,DE\n', { categorical: true });
    expect(land.columns).toEqual(['land=DE']);
  });

  test('beside words for missing entries, and zeros', async () => {
    const content = 'site,oak,fir\na,x,NA\nb,,x\nc,0,?\n';
    expect(await tableOf(await open(content, { present }))).toEqual(
      signs([
        [1, null],
        [0, 1],
        [0, null],
      ]),
    );
    const dunno = await open(content.replace('?', '-').replace('NA', '-'), { present, missing: '-' });
    expect((await tableOf(dunno))[2]).toEqual(signs([[0, null]])[0]);
    // Where a mark is a bit, zeros beside it are bits too, and an empty cell is missing; as it is without a mark.
    expect(await tableOf(await open('a,b\n1,1\n0,\n,1\n', { present: '1' }))).toEqual(
      signs([
        [1, 1],
        [0, 0],
        [null, 1],
      ]),
    );
    expect(await tableOf(await open('a,b\nx,0\n,\nx,0\n', { present }))).toEqual(
      signs([
        [1, 0],
        [0, null],
        [1, 0],
      ]),
    );
    await expect(open('site,oak\na,x\nb,maybe\n', { present, layout: 'wide' })).rejects.toThrow(
      "found 'x', expected a number. This column holds other words than 'x' too.",
    );
  });

  test('may be ones beside gaps, which the source tells', async () => {
    expect(await open('site,oak,fir\ns1,yes,\ns2,,yes\n')).toMatchObject({ onlyMark: 'yes' });
    for (const content of ['oak,fir\n1,1\n1,1\n', 'oak,fir\n1,\n,0\n', 'oak,fir\n0,\n,0\n'])
      expect((await open(content)).onlyMark).toBeUndefined();
  });

  test('survive damage', async () => {
    const bytes = new TextEncoder().encode('site,oak,fir\ns1,x,\ns2,,x\n');
    await survivesDamage(bytes, 'x.csv', (b) => openBytes(b, { present, format: 'csv' }), 300);
  });
});

import { describe, expect, it } from 'vitest';
import { openBytes } from '../../../src/formats/open.ts';
import type { OpenOptions } from '../../../src/formats/options.ts';
import { encodeWords } from '../../../src/formats/table/write-words.ts';
import type { WriteOptions } from '../../../src/formats/write.ts';
import { memorySource } from '../../../src/rows/memory.ts';
import { concat, text as textFile } from '../helpers.ts';

const text = 'name,colour,drink,early\nann,blue,tea,1\nbob,green,,0\ncyd,blue,"milk, hot",\ndee,red,tea,1\n';
const open = (options: OpenOptions = {}, table = text) => openBytes(textFile('people.csv', table), options);
const written = async (source: Parameters<typeof encodeWords>[0], options: WriteOptions = {}) =>
  new TextDecoder().decode(await concat(encodeWords(source, options)));

describe('words', () => {
  it('of categories are written back as they were read', async () => {
    expect(await written(await open({ categorical: true }))).toBe(text);
  });

  it('for bits are written back as they were read', async () => {
    for (const table of [
      'who,smokes,old,owns\nann,Yes,0,true\nbob,No,1,false\ncyd,,1,true\n',
      'a,b\nTRUE,yes\nFALSE,no\n',
      'yes,1\nno,0\nno,1\n',
    ])
      expect(await written(await open({}, table))).toBe(table);
    const marks = 'site,oak,fir\ns1,x,\ns2,,x\n';
    expect(await written(await open({ ones: 'x', zeros: '' }, marks))).toBe(marks);
  });

  it('of both are those of the likelier value', async () => {
    const { schema } = await open({}, 'a,b\nyes,1\nno,0\n');
    const values = Float32Array.of(0.2, -0.3, Number.NaN, 0.1);
    const rows = { kind: 'real', n: 2, V: 2, values } as const;
    expect(await written(memorySource(rows, { columns: ['a', 'b'], schema }))).toBe('a,b\nyes,0\n,1\n');
  });

  it('are written in quotes where they hold what may separate cells', async () => {
    const groups = [{ name: 'pets|kept', first: 0, values: ['cat|dog', 'hen'] }];
    const source = memorySource({ kind: 'bits', n: 2, V: 2, bits: Uint8Array.of(1, 2) }, { groups });
    const file = await written(source);
    expect(file).toBe('"pets|kept"\n"cat|dog"\nhen\n');
    expect((await open({ categorical: true }, file)).groups).toEqual(groups);
  });

  it('stand beside the likelier bits, or beside numbers where these are asked for', async () => {
    const groups = [{ name: 'drink', first: 0, values: ['milk', 'tea'] }];
    const values = Float32Array.of(-0.5, 0.5, 0.1, 0.2, -0.2, -0.1, -1, -0.5, Number.NaN);
    const source = memorySource({ kind: 'real', n: 3, V: 3, values }, { groups });
    expect(await written(source)).toBe('drink,2\ntea,1\nmilk,0\ntea,\n');
    expect(await written(source, { values: 'unit' })).toBe(
      'drink,2\ntea,0.550000001\nmilk,0.449999999\ntea,\n',
    );
  });
});

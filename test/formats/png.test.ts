import { encode } from 'fast-png';
import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { openPictures, openPng } from '../../src/formats/png.ts';
import { signs, survivesDamage, tableOf } from './helpers.ts';

const png = (data: number[], options: object = {}) =>
  encode({ width: 3, height: 2, data: Uint8Array.from(data), ...options }) as Uint8Array<ArrayBuffer>;
const grey = png([0, 255, 0, 255, 0, 255], { channels: 1 });
const open = (bytes: Uint8Array, options = {}) => openPng(memoryBytes('a.png', bytes), options);

describe('PNG', () => {
  test('a picture is a row', async () => {
    const source = await open(grey);
    expect(source).toMatchObject({ n: 1, V: 6, image: { height: 2, width: 3 }, schema: { values: 'bytes' } });
    expect(await tableOf(source)).toEqual(signs([[0, 1, 0, 1, 0, 1]]));
  });

  test('depths and colours', async () => {
    const deep = encode({
      width: 2,
      height: 1,
      channels: 1,
      depth: 16,
      data: Uint16Array.of(65_535, 13_107),
    });
    const [row] = await tableOf(await open(deep, { binarize: 'none' }));
    expect(row[0]).toBe(1);
    expect(row[1]).toBeCloseTo(-0.6, 6);
    const shallow = encode({
      width: 10,
      height: 2,
      channels: 1,
      depth: 1,
      data: Uint8Array.of(0xa0, 0x40, 0x01, 0x80),
    });
    expect((await tableOf(await open(shallow)))[0]).toEqual(
      signs([[1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0]])[0],
    );
    const colour = encode({
      width: 2,
      height: 1,
      channels: 3,
      data: Uint8Array.of(255, 255, 255, 255, 0, 0),
    });
    const [mixed] = await tableOf(await open(colour, { binarize: 'none' }));
    expect(mixed[0]).toBe(1);
    expect(mixed[1]).toBeCloseTo((2 * 76) / 255 - 1, 6);
  });

  test('opaque pictures are read, transparent ones refused', async () => {
    const rgba = (alpha: number) =>
      encode({ width: 1, height: 1, channels: 4, data: Uint8Array.of(255, 255, 255, alpha) });
    expect(await tableOf(await open(rgba(255)))).toEqual([[1]]);
    await expect(open(rgba(200))).rejects.toThrow('transparent');
  });

  test('pictures of one size become rows', async () => {
    const files = [grey, png([9, 9, 9, 9, 9, 9], { channels: 1 })].map((bytes, k) =>
      memoryBytes(`${k}.png`, bytes),
    );
    const source = await openPictures('folder', files, ['0.png', '1.png'], { binarize: 'threshold' });
    expect(source).toMatchObject({ n: 2, ids: ['0.png', '1.png'] });
    expect(await tableOf(source)).toEqual(
      signs([
        [0, 1, 0, 1, 0, 1],
        [0, 0, 0, 0, 0, 0],
      ]),
    );
    const small = memoryBytes(
      'small.png',
      encode({ width: 1, height: 1, channels: 1, data: Uint8Array.of(1) }),
    );
    await expect(openPictures('folder', [files[0], small], undefined, {}).then(tableOf)).rejects.toThrow(
      'small.png: is 1 x 1 pixels, the first picture is 3 x 2',
    );
    await expect(openPictures('folder', [], undefined, {})).rejects.toThrow('is a folder without PNG');
  });

  test('survives damage', async () => {
    await survivesDamage(grey, 'x.png', (bytes) => openPng(bytes, {}), 1000);
  });
});

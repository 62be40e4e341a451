import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { gunzip } from '../../src/formats/gzip.ts';
import { openIdx } from '../../src/formats/idx.ts';
import { startsLike } from '../../src/formats/recognise.ts';
import { gzipped, inPieces, signs, survivesDamage, tableOf } from './helpers.ts';

const pictures = Uint8Array.from([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 255, 0, 51, 102, 255]);
const bits = Uint8Array.from([0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 1, 1]);

describe('IDX', () => {
  test('grey pictures are sampled unless told otherwise', async () => {
    const sampled = await openIdx(memoryBytes('a', pictures), {});
    expect(sampled).toMatchObject({
      n: 2,
      V: 3,
      schema: { values: 'bytes', binarize: 'sample', kind: 'bits' },
    });
    expect(sampled.image).toEqual({ height: 1, width: 3 });
    expect((await tableOf(sampled))[0]).toEqual([-1, 1, -1]);

    const grey = await openIdx(memoryBytes('a', pictures), { binarize: 'none' });
    expect(grey.schema.kind).toBe('real');
    const second = (await tableOf(grey))[1];
    [-0.6, -0.2, 1].forEach((x, v) => {
      expect(second[v]).toBeCloseTo(x, 6);
    });
    const cut = await openIdx(memoryBytes('a', pictures), { binarize: 'threshold' });
    expect(await tableOf(cut)).toEqual(
      signs([
        [0, 1, 0],
        [0, 0, 1],
      ]),
    );
  });

  test('a file of zeros and ones is bits', async () => {
    const source = await openIdx(memoryBytes('a', bits), {});
    expect(source).toMatchObject({ image: undefined, schema: { values: 'bits', binarize: 'none' } });
    expect(await tableOf(source)).toEqual(
      signs([
        [0, 1],
        [1, 1],
      ]),
    );
  });

  test('compressed and in small pieces it is the same', async () => {
    const source = await openIdx(gunzip(inPieces(memoryBytes('a', gzipped(bits)), 3)), {});
    expect(await tableOf(source)).toEqual(
      signs([
        [0, 1],
        [1, 1],
      ]),
    );
    expect(await tableOf(source)).toEqual(
      signs([
        [0, 1],
        [1, 1],
      ]),
    );
  });

  test('other element types, big-endian', async () => {
    const file = new Uint8Array(12 + 8);
    file.set([0, 0, 13, 2, 0, 0, 0, 1, 0, 0, 0, 2]);
    const view = new DataView(file.buffer);
    view.setFloat32(12, 0.25);
    view.setFloat32(16, 1);
    const source = await openIdx(memoryBytes('a', file), {});
    expect(source).toMatchObject({ schema: { values: 'unit', kind: 'real' } });
    expect(await tableOf(source)).toEqual([[-0.5, 1]]);
  });

  test('refuses labels, short files and claims beyond the file', async () => {
    const labels = Uint8Array.from([0, 0, 8, 1, 0, 0, 0, 2, 3, 4]);
    await expect(openIdx(memoryBytes('labels', labels), {})).rejects.toThrow('labels');
    const huge = Uint8Array.from([0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    await expect(openIdx(memoryBytes('huge', huge), {})).rejects.toThrow('claims');
    await expect(openIdx(memoryBytes('cut', bits.subarray(0, 15)), {})).rejects.toThrow('claims 2 x 2');
    await expect(openIdx(gunzip(memoryBytes('cut', gzipped(bits.subarray(0, 15)))), {})).rejects.toThrow(
      'ends before row 2 of 2',
    );
    expect(startsLike('idx', Uint8Array.from([0, 0, 7, 3, 0, 0, 0, 0]))).toBe(false);
  });

  test('survives damage, plain and compressed', async () => {
    await survivesDamage(pictures, 'p.idx', (bytes) => openIdx(bytes, {}));
    await survivesDamage(gzipped(pictures), 'p.gz', (bytes) => openIdx(gunzip(bytes), {}));
  });
});

import { describe, expect, test } from 'vitest';
import { openFps } from '../../src/formats/fps.ts';
import { inPieces, signs, spelled, survivesDamage, tableOf, text } from './helpers.ts';

const file = '#FPS1\n#num_bits=10\n#type=test\n0502\tCHEBI:1\nff03\tCHEBI:2\textra\r\n8000\n';
const rows = [
  [1, 0, 1, 0, 0, 0, 0, 0, 0, 1],
  [1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  [0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
];

describe('FPS', () => {
  test('bits, names, any chunks', async () => {
    const source = await openFps(inPieces(text('a', file), 4), {});
    expect(spelled(source)).toMatchObject({
      n: 3,
      V: 10,
      ids: ['CHEBI:1', 'CHEBI:2', ''],
      schema: { kind: 'bits' },
    });
    expect(await tableOf(source)).toEqual(signs(rows));
    const sizes: number[] = [];
    for await (const chunk of source.chunks(2)) sizes.push(chunk.n);
    expect(sizes).toEqual([2, 1]);
  });

  test('without a header the digits tell the number of bits', async () => {
    expect((await openFps(text('a', 'ff00\tx\n'), {})).V).toBe(16);
  });

  test('errors name the line', async () => {
    await expect(openFps(text('a', '#num_bits=16\nff00\nff\n'), {})).rejects.toThrow('line 3');
    await expect(openFps(text('a', '#num_bits=16\nfg00\n'), {})).rejects.toThrow(
      'expected 4 hexadecimal digits',
    );
    await expect(openFps(text('a', '#FPS1\n'), {})).rejects.toThrow('empty');
  });

  test('survives damage', () =>
    survivesDamage(new TextEncoder().encode(file), 'x.fps', (b) => openFps(b, {})));
});

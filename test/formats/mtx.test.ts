import { describe, expect, test } from 'vitest';
import { openMtx } from '../../src/formats/mtx.ts';
import { signs, survivesDamage, tableOf, text } from './helpers.ts';

const pattern = '%%MatrixMarket matrix coordinate pattern general\n% words\n2 3 3\n1 2\n2 1\n2 3\n';

describe('Matrix Market', () => {
  test('coordinates', async () => {
    expect(await tableOf(await openMtx(text('a', pattern), {}))).toEqual(
      signs([
        [0, 1, 0],
        [1, 0, 1],
      ]),
    );
    const real = '%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 0.5\n2 1 1\n';
    expect(await tableOf(await openMtx(text('a', real), {}))).toEqual([
      [0, 1],
      [1, -1],
    ]);
    const counts = '%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 12\n';
    await expect(openMtx(text('a', counts), {})).rejects.toThrow('--values presence');
  });

  test('dense, column after column', async () => {
    const array = '%%MatrixMarket matrix array integer general\n2 3\n0\n1\n1\n0\n1\n1\n';
    expect(await tableOf(await openMtx(text('a', array), {}))).toEqual(
      signs([
        [0, 1, 1],
        [1, 0, 1],
      ]),
    );
  });

  test('a dense matrix may have missing entries', async () => {
    const array = '%%MatrixMarket matrix array real general\n2 2\n0\nnan\nNaN\n1\n';
    expect(await tableOf(await openMtx(text('a', array), {}))).toEqual(
      signs([
        [0, null],
        [null, 1],
      ]),
    );
  });

  test.each([
    ['nothing\n', 'line 1'],
    ['%%MatrixMarket matrix coordinate complex general\n', 'complex'],
    ['%%MatrixMarket matrix coordinate pattern general\n', 'before the sizes'],
    ['%%MatrixMarket matrix coordinate pattern general\n2 2 1\n3 1\n', 'line 3: expected row and column'],
    ['%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n', 'ends after 1 of 2 entries'],
    ['%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n1 2\n', 'more than the 1 entry'],
    ['%%MatrixMarket matrix coordinate pattern general\n2000000000 2 1\n1 1\n', 'claims 2000000000 rows'],
    ['%%MatrixMarket matrix array real general\n2000000 2000000\n1\n', 'more than the file'],
    [
      '%%MatrixMarket matrix array real general\n2 2\n1\n0\noops\n1\n',
      "line 5: found 'oops', expected a number",
    ],
    ['%%MatrixMarket matrix coordinate pattern symmetric\n3 2 1\n3 1\n', 'is square, this one is 3 x 2'],
  ])('%j is refused', async (content, message) => {
    await expect(openMtx(text('a', content), {})).rejects.toThrow(message);
  });

  test('survives damage', () =>
    survivesDamage(new TextEncoder().encode(pattern), 'x.mtx', (b) => openMtx(b, {}), 500));
});

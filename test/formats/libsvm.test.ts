import { describe, expect, test } from 'vitest';
import { openLibsvm } from '../../src/formats/libsvm.ts';
import { inPieces, signs, survivesDamage, tableOf, text } from './helpers.ts';

const file = '1 1:1 3:1 # a comment\n-1\r\n\n0 qid:4 2:1 4:1\n';
const rows = [
  [1, 0, 1, 0],
  [0, 0, 0, 0],
  [0, 1, 0, 1],
];

describe('libsvm', () => {
  test('labels, comments, empty rows and lines in pieces', async () => {
    const source = await openLibsvm(inPieces(text('a', file), 5), {});
    expect(source).toMatchObject({ n: 3, V: 4, schema: { values: 'bits' } });
    expect(await tableOf(source)).toEqual(signs(rows));
  });

  test('indices from 0, and a width that is given', async () => {
    expect(await tableOf(await openLibsvm(text('a', '1 0:1\n1 2:1\n'), {}))).toEqual(
      signs([
        [1, 0, 0],
        [0, 0, 1],
      ]),
    );
    // Entries of 0 are columns all the same.
    expect(await tableOf(await openLibsvm(text('a', '1 0:0 1:1\n1 3:0\n'), {}))).toEqual(
      signs([
        [0, 1, 0, 0],
        [0, 0, 0, 0],
      ]),
    );
    expect((await openLibsvm(text('a', file), { width: 10 })).V).toBe(10);
    await expect(openLibsvm(text('a', file), { width: 3 })).rejects.toThrow('4 columns, more than the 3');
  });

  test('values between 0 and 1 are probabilities', async () => {
    const source = await openLibsvm(text('a', '1 1:0.25 2:1\n'), {});
    expect(source).toMatchObject({ schema: { values: 'unit', kind: 'real' } });
    expect(await tableOf(source)).toEqual([[-0.5, 1]]);
  });

  test('errors name the line', async () => {
    await expect(openLibsvm(text('a', '1 1:1\n1 x:1\n'), {})).rejects.toThrow("a, line 2: found 'x:1'");
    await expect(openLibsvm(text('a', ''), {})).rejects.toThrow('empty');
  });

  test('a number of a column that is much for the file has to be meant', async () => {
    await expect(openLibsvm(text('a', '1 67108863:1\n'), {})).rejects.toThrow(
      'a: has a column 67108863, which is a lot for 13 bytes; use --width 67108863 if that is intended',
    );
    expect((await openLibsvm(text('a', '1 67108863:1\n'), { width: 67_108_863 })).V).toBe(67_108_863);
    expect((await openLibsvm(text('a', '1 1000000:1\n'), {})).V).toBe(1_000_000);
  });

  test('survives damage', () =>
    survivesDamage(new TextEncoder().encode(file), 'x.svm', (b) => openLibsvm(b, {})));
});

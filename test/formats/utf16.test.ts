import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { openBytes } from '../../src/formats/open.ts';
import { gzipped, inPieces, signs, spelled, survivesDamage, tableOf } from './helpers.ts';

/** A text in UTF-16, with its byte order mark. */
function utf16(text: string, bigEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(2 * text.length + 2);
  const view = new DataView(bytes.buffer);
  for (const [k, letter] of ['\ufeff', ...text.split('')].entries())
    view.setUint16(2 * k, letter.charCodeAt(0), !bigEndian);
  return bytes;
}

const content = 'id;größe;日本;😀\r\nx;0;1;1\r\ny;1;0;0\r\n';

describe('text in UTF-16', () => {
  test.each([
    ['little-endian', false],
    ['big-endian', true],
  ])('%s', async (_, bigEndian) => {
    const bytes = utf16(content, bigEndian);
    for (const file of [
      memoryBytes('a.csv', bytes),
      memoryBytes('a', bytes),
      inPieces(memoryBytes('a', bytes), 3),
      memoryBytes('a', gzipped(bytes)),
    ]) {
      const source = await openBytes(file);
      expect(spelled(source)).toMatchObject({
        format: 'csv',
        columns: ['größe', '日本', '😀'],
        ids: ['x', 'y'],
      });
      expect(await tableOf(source)).toEqual(
        signs([
          [0, 1, 1],
          [1, 0, 0],
        ]),
      );
    }
  });

  test('JSON lines', async () => {
    const source = await openBytes(memoryBytes('a', utf16('{"ä":0}\n{"ä":1}\n', false)));
    expect(source).toMatchObject({ format: 'jsonl', columns: ['ä'], n: 2 });
  });

  test('that is cut short is none', async () => {
    const bytes = utf16(content, false);
    await expect(openBytes(memoryBytes('a.csv', bytes.subarray(0, bytes.length - 1)))).rejects.toThrow(
      'a.csv: starts like text in UTF-16 but is not',
    );
  });

  test('survives damage', async () => {
    await survivesDamage(utf16('id,a,b\nx,0,1\ny,1,0\n', false), 'x.csv', (bytes) => openBytes(bytes));
  });
});

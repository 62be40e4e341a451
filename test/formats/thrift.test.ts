import { describe, expect, test } from 'vitest';
import { readThrift } from '../../src/formats/thrift.ts';

describe('Thrift, compact', () => {
  test('a struct of every type, and where it ends', () => {
    const bytes = Uint8Array.of(
      ...[0x11, 0x12], // fields 1 and 2: true, false
      ...[0x13, 7], // 3: a byte
      ...[0x15, 0x8f, 0x01], // 4: -72, zigzag of 143
      ...[0x17, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f], // 5: 1.0
      ...[0x18, 2, 104, 105], // 6: 'hi'
      ...[0x19, 0x25, 2, 4], // 7: a list of 1 and 2
      ...[0x1c, 0x15, 6, 0], // 8: a struct of one field, 3
      ...[0x05, 0x28, 0x01], // 20, said in full: -1
      ...[0, 99],
    );
    const { struct, end } = readThrift(bytes);
    expect(end).toBe(bytes.length - 1);
    expect([...struct]).toEqual([
      [1, true],
      [2, false],
      [3, 7],
      [4, -72],
      [5, 1],
      [6, Uint8Array.of(104, 105)],
      [7, [1, 2]],
      [8, new Map([[1, 3]])],
      [20, -1],
    ]);
  });

  test.each([
    [[0x15], 'not complete'],
    [[0x18, 0xff, 0xff, 0xff, 0x7f], 'a text of 268435455 bytes'],
    [[0x19, 0xf5, 0x80, 0x80, 0x80, 0x08], 'lists 16777216 entries'],
    [new Array(100).fill(0x1c), 'nested without end'],
    [[0x15, ...new Array(20).fill(0xff)], 'a number without end'],
    [[0x1e], 'type 14'],
  ])('%j is refused', (bytes, message) => {
    expect(() => readThrift(Uint8Array.from(bytes))).toThrow(message);
  });
});

import { describe, expect, it } from 'vitest';
import { Message } from '../../src/export/protobuf.ts';

describe('protobuf', () => {
  // The examples of the format's own description.
  it('writes varints, texts and messages inside messages', () => {
    expect([...new Message().integer(1, 150).finish()]).toEqual([0x08, 0x96, 0x01]);
    const text = [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67];
    expect([...new Message().text(2, 'testing').finish()]).toEqual(text);
    const inner = new Message().integer(1, 150);
    expect([...new Message().message(3, inner).finish()]).toEqual([0x1a, 0x03, 0x08, 0x96, 0x01]);
  });

  it('takes field numbers and values of more than one byte', () => {
    expect([...new Message().integer(20, 2 ** 35).finish()]).toEqual([
      0xa0, 0x01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01,
    ]);
    expect(new Message().bytes(9, new Uint8Array(300)).finish().length).toBe(1 + 2 + 300);
  });

  it('refuses what it cannot write', () => {
    expect(() => new Message().integer(1, -1)).toThrow(/at least 0, got -1/);
    expect(() => new Message().integer(1, 0.5)).toThrow(/whole number/);
  });
});

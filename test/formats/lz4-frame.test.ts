import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unpackLz4 } from '../../src/formats/lz4-frame.ts';
import { holds } from '../property.ts';
import { packLz4 } from './pack.ts';

describe('LZ4 frames', () => {
  const bytes = fc
    .array(fc.integer({ min: 0, max: 3 }), { maxLength: 4000 })
    .map((list) => Uint8Array.from(list));

  test('unpack to what was packed, over many blocks that repeat each other', () => {
    holds(
      fc.property(bytes, fc.integer({ min: 20, max: 5000 }), (content, size) => {
        expect(unpackLz4(packLz4(content, size), content.length)).toEqual(content);
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  test('damaged ones are refused or give as many bytes as were asked for', () => {
    const content = Uint8Array.from({ length: 3000 }, (_, k) => (k * k) % 11);
    const frame = packLz4(content);
    holds(
      fc.property(fc.nat(frame.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = frame.slice();
        damaged[at] ^= change;
        try {
          expect(unpackLz4(damaged, content.length)).toHaveLength(content.length);
        } catch (error) {
          expect(String(error)).toMatch(/LZ4|Offset is outside/);
        }
      }),
      { seed: 2, numRuns: 400 },
    );
    for (const length of [2999, 3001]) expect(() => unpackLz4(frame, length)).toThrow(/said to/);
    for (let end = 0; end < frame.length; end += 7)
      expect(() => unpackLz4(frame.subarray(0, end), content.length)).toThrow();
  });

  test('a frame of the lz4 command', () => {
    const frame = Uint8Array.from(atob(FRAME), (letter) => letter.charCodeAt(0));
    expect(new TextDecoder().decode(unpackLz4(frame, 300))).toBe('0,1,1\n'.repeat(50));
  });
});

const FRAME = 'BCJNGGxALAEAAAAAAABUEQAAAG8wLDEsMQoGAP8PUCwxLDEKAAAAALlmAq8=';

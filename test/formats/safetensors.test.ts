import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Tensor } from '../../src/formats/safetensors.ts';
import { checkFinite, readSafetensors, writeSafetensors } from '../../src/formats/safetensors.ts';
import { FormatError } from '../../src/rows/errors.ts';
import { holds } from '../property.ts';

const W: Tensor = { type: 'F32', shape: [2, 3], data: Float32Array.from([1, 2, 3, 4, 5, 6.5]) };
const B: Tensor = { type: 'F64', shape: [2], data: Float64Array.from([0.1, -0.1]) };
const bits: Tensor = { type: 'U8', shape: [3, 1], data: Uint8Array.from([1, 2, 3]) };
const scalar: Tensor = { type: 'I32', shape: [], data: Int32Array.from([-7]) };
const file = writeSafetensors(Object.entries({ bits, W, B, scalar }), { loss: 'log', names: '["ä"]' });

/** A file with any header text and body. */
function made(header: unknown, body = 0): Uint8Array {
  const text = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + body);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  return bytes;
}

describe('safetensors', () => {
  test('what is written is read again', () => {
    const { tensors, metadata } = readSafetensors(file);
    expect(metadata).toEqual({ loss: 'log', names: '["ä"]' });
    expect(Object.fromEntries(tensors)).toEqual({ bits, W, B, scalar });
    expect(readSafetensors(writeSafetensors([])).tensors.size).toBe(0);
  });

  test('the layout is that of the reference: aligned, padded with spaces, wide elements first', () => {
    const length = Number(new DataView(file.buffer).getBigUint64(0, true));
    expect(length % 8).toBe(0);
    const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length)));
    expect(Object.keys(header)).toEqual(['__metadata__', 'B', 'W', 'scalar', 'bits']);
    expect(header.W).toEqual({ dtype: 'F32', shape: [2, 3], data_offsets: [16, 40] });
    expect(file.length).toBe(8 + length + 16 + 24 + 4 + 3);
  });

  test('reads from the middle of a buffer', () => {
    const wide = new Uint8Array(file.length + 3);
    wide.set(file, 3);
    expect(readSafetensors(wide.subarray(3)).tensors.get('W')).toEqual(W);
  });

  test.each([
    ['too short', new Uint8Array(5), 'too short'],
    ['no header', Uint8Array.from([255, 255, 255, 255, 255, 255, 255, 255]), 'claims a header'],
    ['cut header', made('{}').subarray(0, 9), 'ends before'],
    ['no JSON', made('{'), 'not a JSON object'],
    ['no object', made('[]'), 'not a JSON object'],
    ['unknown type', made({ a: { dtype: 'Q4', shape: [1], data_offsets: [0, 1] } }, 1), '"Q4"'],
    ['negative shape', made({ a: { dtype: 'U8', shape: [-1], data_offsets: [0, 1] } }, 1), 'whole numbers'],
    [
      'absurd shape',
      made({ a: { dtype: 'U8', shape: [1e15, 1e15], data_offsets: [0, 1] } }, 1),
      'has 1 byte',
    ],
    ['wrong size', made({ a: { dtype: 'F32', shape: [2], data_offsets: [0, 4] } }, 4), 'needs 8'],
    ['gap', made({ a: { dtype: 'U8', shape: [1], data_offsets: [1, 2] } }, 2), 'starts at 1'],
    [
      'overlap',
      made(
        {
          a: { dtype: 'U8', shape: [2], data_offsets: [0, 2] },
          b: { dtype: 'U8', shape: [2], data_offsets: [1, 3] },
        },
        3,
      ),
      'ends at 2',
    ],
    [
      'cut body',
      made({ a: { dtype: 'U8', shape: [2], data_offsets: [0, 2] } }, 1),
      'bytes long by its header',
    ],
    ['rest', made({}, 1), 'bytes long by its header'],
    ['metadata', made({ __metadata__: { a: 1 } }), '__metadata__'],
  ])('%s is refused', (_, bytes, message) => {
    expect(() => readSafetensors(bytes, 'm')).toThrow(message);
    expect(() => readSafetensors(bytes, 'm')).toThrow(FormatError);
  });

  test('writing checks sizes and names', () => {
    expect(() => writeSafetensors([['x', { ...W, shape: [7] }]])).toThrow("tensor 'x' has 6 elements");
    expect(() => writeSafetensors([['x', { ...W, type: 'F64' }]])).toThrow('type F64');
    expect(() => writeSafetensors([['__metadata__', W]])).toThrow('is taken');
  });

  test('numbers that are not finite are found', () => {
    checkFinite(W, 'W');
    const broken: Tensor = { type: 'F32', shape: [2], data: Float32Array.of(1, Number.NaN) };
    expect(() => checkFinite(broken, 'W', 'm')).toThrow("m, tensor 'W', element 1: found NaN");
  });

  test('damage gives an error or tensors of their announced size', () => {
    holds(
      fc.property(
        fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 }),
        (changes) => {
          const damaged = file.slice();
          for (const [at, value] of changes) damaged[at] = value;
          try {
            for (const { shape, data } of readSafetensors(damaged).tensors.values()) {
              expect(data.length).toBe(shape.reduce((a, b) => a * b, 1));
            }
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError);
          }
        },
      ),
      { numRuns: 2000, seed: 9 },
    );
  });
});

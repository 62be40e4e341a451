import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSafetensors, type Tensor, writeSafetensors } from '../../../src/formats/safetensors.ts';
import { matrixTensors, readMatrix } from '../../../src/model/file/matrix-tensors.ts';
import { holds } from '../../property.ts';

const there = (tensors: [string, Tensor][], rows: number, width: number) =>
  readMatrix(readSafetensors(writeSafetensors(tensors)), 'W', { rows, width }, 'file');

const sizeOf = (tensors: [string, Tensor][]) =>
  tensors.reduce((sum, [, { data }]) => sum + data.byteLength, 0);

/** A matrix of which about one entry in `every` is not zero. */
function sparse(rows: number, width: number, every: number): Float32Array {
  return Float32Array.from({ length: rows * width }, (_, k) => ((k * 7919) % every === 0 ? 1 + k : 0));
}

describe('matrices in model files', () => {
  it('come back as they were, in whichever form is smaller', () => {
    holds(
      fc.property(
        fc.record({
          rows: fc.integer({ min: 1, max: 12 }),
          width: fc.constantFrom(1, 3, 40, 300),
          every: fc.constantFrom(1, 2, 5, 30, 1000),
        }),
        ({ rows, width, every }) => {
          const data = sparse(rows, width, every);
          const tensors = matrixTensors('W', data, rows, width);
          expect(there(tensors, rows, width)).toEqual(data);
          expect(sizeOf(tensors)).toBeLessThanOrEqual(data.byteLength);
        },
      ),
      { seed: 7, numRuns: 60 },
    );
  });

  it('take a byte an index up to 256 columns, two up to 65,536', () => {
    const type = (width: number) =>
      Object.fromEntries(matrixTensors('W', sparse(2, width, 50), 2, width))['W.columns'].type;
    expect([type(256), type(257)]).toEqual(['U8', 'U16']);
    expect(matrixTensors('W', new Float32Array(6).fill(1), 2, 3).map(([name]) => name)).toEqual(['W']);
  });

  const edited = (part: string, data: Tensor['data'], shape = [data.length]) => {
    const tensors = Object.fromEntries(matrixTensors('W', sparse(4, 60, 40), 4, 60));
    tensors[part] = { ...tensors[part], data, shape };
    return () => there(Object.entries(tensors), 4, 60);
  };

  it.each([
    ['W.starts', Uint32Array.of(1, 2, 3, 4, 6), /W.starts', element 0: is 1, expected 0/],
    ['W.starts', Uint32Array.of(0, 4, 3, 4, 6), /element 2: is less than the one before/],
    ['W.starts', Uint32Array.of(0, 1, 2, 3, 9), /element 4: is 9, expected the 6 values/],
    ['W.starts', Uint32Array.of(0, 1, 6), /is U32 of 3, expected U32 of 5/],
    ['W.columns', Uint8Array.of(0, 40, 20, 0, 40, 60), /element 5: is 60, but a row has 60 columns/],
    ['W.columns', Uint8Array.of(40, 0, 20, 0, 40, 20), /element 1: is 0 after 40; expected rising columns/],
    ['W.columns', Uint8Array.of(1), /is U8 of 1, expected U8 or U16 or U32 of 6/],
    ['W.values', Float32Array.of(1, 2, Number.NaN, 4, 5, 6), /element 2: found NaN/],
  ])('refuses a damaged %s', (part, data, message) => {
    expect(edited(part, data)).toThrow(message);
  });

  it('are stored as they are where the nonzero entries would be too small a file to be believed', () => {
    const [rows, width] = [2, 2 ** 20];
    const tensors = matrixTensors('W', new Float32Array(rows * width), rows, width);
    expect(tensors.map(([name]) => name)).toEqual(['W']);
    expect(there(tensors, rows, width)).toHaveLength(rows * width);
  });

  it('refuses numbers that no code could be computed with', () => {
    const tensors = matrixTensors('W', Float32Array.of(1, -1e38), 1, 2);
    expect(() => there(tensors, 1, 2)).toThrow(/tensor 'W', element 1: found -9.*, expected at most/);
  });

  it('refuses a size that no file of this length could mean, before anything is allocated', () => {
    const tensors = matrixTensors('W', sparse(4, 60, 40), 4, 60);
    expect(() => there(tensors, 4, 2 ** 30)).toThrow(/stands for 4 x 1073741824 numbers, more than/);
    expect(() => there([], 4, 60)).toThrow(/tensor 'W': is missing/);
  });
});

import { describe, expect, test } from 'vitest';
import { rowStream, sampleBytes, sampleUnit } from '../../src/rows/binarize.ts';
import { decideReading, newCensus } from '../../src/rows/census.ts';
import { rowBytes, sliceRows } from '../../src/rows/rows.ts';
import { readNumbers } from '../../src/rows/values.ts';

const V = 100;
const grey = Uint8Array.from({ length: 50 * V }, (_, k) => (k * 37) % 256);
const sampled = decideReading('file', 'image', { ...newCensus(), byte: 'grey' }, { seed: 7 });

describe('sampling', () => {
  test('does not depend on the chunks', () => {
    const whole = readNumbers('file', grey, V, 0, sampled);
    for (const start of [0, 13, 49]) {
      const part = readNumbers('file', grey.subarray(start * V), V, start, sampled);
      expect(part).toEqual(sliceRows(whole, start, 50));
    }
  });

  test('bytes and floats of the same grey levels give the same bits, and the seed matters', () => {
    const bytes = readNumbers('file', grey, V, 0, sampled);
    expect(readNumbers('file', Float64Array.from(grey), V, 0, sampled)).toEqual(bytes);
    expect(readNumbers('file', grey, V, 0, { ...sampled, seed: 8 })).not.toEqual(bytes);
  });

  test('a seed means the same bits for ever', () => {
    const bits = new Uint8Array(rowBytes(24));
    sampleBytes(new Uint8Array(24).fill(128), 0, 24, rowStream(1, 2), bits, 0);
    expect(Array.from(bits)).toMatchInlineSnapshot(`
      [
        7,
        87,
        157,
      ]
    `);
  });

  test('rows far apart draw other numbers from the first on', () => {
    const first = (row: number) => rowStream(1, row).next();
    const rows = [2, 2 + 2 ** 32, 2 + 2 ** 33, 2 + 3 * 2 ** 32];
    expect(new Set(rows.map(first)).size).toBe(rows.length);
  });

  test('a grey level p is on with probability p/255', () => {
    const draws = 1 << 16;
    for (const p of [1, 64, 128, 254]) {
      const bits = new Uint8Array(draws / 8);
      sampleBytes(new Uint8Array(draws).fill(p), 0, draws, rowStream(3, p), bits, 0);
      let ones = 0;
      for (const byte of bits) for (let b = byte; b; b &= b - 1) ones++;
      const q = p / 255;
      const deviation = Math.abs(ones - draws * q) / Math.sqrt(draws * q * (1 - q));
      expect(deviation).toBeLessThan(4);
    }
  });

  test('0 and 1 are certain and draw nothing', () => {
    const stream = rowStream(0, 0);
    const before = stream.getState();
    expect(sampleUnit(0, stream)).toBe(false);
    expect(sampleUnit(1, stream)).toBe(true);
    expect(stream.getState()).toEqual(before);
    let ones = 0;
    for (let k = 0; k < 10_000; k++) if (sampleUnit(0.3, stream)) ones++;
    expect(Math.abs(ones - 3000)).toBeLessThan(4 * Math.sqrt(2100));
  });

  test('streams of different rows and seeds differ', () => {
    const states = new Set<string>();
    for (let seed = -2; seed < 3; seed++) {
      for (const row of [0, 1, 2, 2 ** 32, 2 ** 32 + 1]) states.add(rowStream(seed, row).getState().join());
    }
    expect(states.size).toBe(25);
  });
});

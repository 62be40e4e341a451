import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digits } from '../../src/data/digits.ts';
import { holds } from '../property.ts';

const PIXELS = 28 * 28;

describe('digits', () => {
  it('means the same for ever: the first pictures of a seed are frozen', () => {
    const { train, test } = digits({ train: 100, test: 100, seed: 1 });
    expect({ train: checksum(train.images), test: checksum(test.images) }).toMatchInlineSnapshot(`
      {
        "test": "9f2393f1",
        "train": "a615d712",
      }
    `);
    expect([...train.labels.subarray(0, 16)].join('')).toMatchInlineSnapshot(`"4319406074453410"`);
  });

  it('makes each picture from its own stream, whatever the sizes of the parts', () => {
    const whole = digits({ train: 40, test: 30, seed: 7 });
    holds(
      fc.property(fc.nat(40), fc.nat(30), (train, test) => {
        const part = digits({ train, test, seed: 7 });
        expect(checksum(part.train.images)).toBe(checksum(whole.train.images.subarray(0, train * PIXELS)));
        expect(checksum(part.test.images)).toBe(checksum(whole.test.images.subarray(0, test * PIXELS)));
        expect(part.test.labels).toEqual(whole.test.labels.subarray(0, test));
      }),
      { seed: 1, numRuns: 20 },
    );
  });

  it('makes other pictures for another seed and for the other part', () => {
    const one = digits({ train: 50, test: 50, seed: 1 });
    const two = digits({ train: 50, test: 50, seed: 2 });
    const sums = [one.train, one.test, two.train, two.test].flatMap((part) =>
      Array.from({ length: 50 }, (_, i) => checksum(part.images.subarray(i * PIXELS, (i + 1) * PIXELS))),
    );
    expect(new Set(sums).size).toBe(200);
  });

  it('has ink in the middle, paper at the edge, and every class about as often', () => {
    const { train } = digits({ train: 2000, test: 0 });
    const mean = meanOf(train.images, 2000);
    expect(Math.max(...mean)).toBeGreaterThan(60);
    for (let p = 0; p < 28; p++) expect(mean[p] + mean[PIXELS - 1 - p]).toBeLessThan(1);
    const counts = new Array<number>(10).fill(0);
    for (const label of train.labels) counts[label]++;
    for (const count of counts) expect(Math.abs(count - 200)).toBeLessThan(60);
  });

  it('keeps classes apart: the nearest class mean names most held-out digits, and not all', () => {
    const { train, test } = digits({ train: 2000, test: 500 });
    const means = Array.from({ length: 10 }, (_, label) => {
      const own = Array.from({ length: 2000 }, (_, i) => i).filter((i) => train.labels[i] === label);
      const images = Uint8Array.from(
        own.flatMap((i) => [...train.images.subarray(i * PIXELS, (i + 1) * PIXELS)]),
      );
      return meanOf(images, own.length);
    });
    let right = 0;
    for (let i = 0; i < 500; i++) {
      const image = test.images.subarray(i * PIXELS, (i + 1) * PIXELS);
      const distances = means.map((mean) => mean.reduce((sum, m, p) => sum + (m - image[p]) ** 2, 0));
      if (distances.indexOf(Math.min(...distances)) === test.labels[i]) right++;
    }
    expect(right / 500).toBeGreaterThan(0.7);
    expect(right / 500).toBeLessThan(0.95);
  });

  it('is too varied for 32 linear components', () => {
    expect(varianceInComponents(digits({ train: 600, test: 0 }).train.images, 600, 32)).toBeLessThan(0.75);
  });

  it('names an option that is wrong', () => {
    expect(() => digits({ train: -1 })).toThrow('digits: train is -1; expected a whole number from 0');
    expect(() => digits({ test: 1.5 })).toThrow('digits: test is 1.5');
    expect(() => digits({ seed: Number.NaN })).toThrow('digits: seed is NaN');
  });
});

/** FNV-1a, 32 bits. */
function checksum(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

function meanOf(images: Uint8Array, n: number): Float64Array {
  const mean = new Float64Array(PIXELS);
  for (let at = 0; at < n * PIXELS; at++) mean[at % PIXELS] += images[at] / n;
  return mean;
}

/** The share of the variance that the top `count` principal components hold, by orthogonal iteration. */
function varianceInComponents(images: Uint8Array, n: number, count: number): number {
  const mean = meanOf(images, n);
  const rows = Array.from({ length: n }, (_, i) => mean.map((m, p) => images[i * PIXELS + p] - m));
  const total = rows.reduce((sum, row) => sum + dot(row, row), 0);
  let basis = rows.slice(0, count);
  let held = 0;
  for (let round = 0; round < 12; round++) {
    orthonormalise(basis);
    held = 0;
    const next = basis.map(() => new Float64Array(PIXELS));
    for (const row of rows) {
      basis.forEach((direction, k) => {
        const along = dot(row, direction);
        held += along * along;
        for (let p = 0; p < PIXELS; p++) next[k][p] += along * row[p];
      });
    }
    basis = next;
  }
  return held / total;
}

function orthonormalise(basis: Float64Array[]): void {
  basis.forEach((direction, k) => {
    for (const earlier of basis.slice(0, k)) {
      const along = dot(direction, earlier);
      for (let p = 0; p < PIXELS; p++) direction[p] -= along * earlier[p];
    }
    const length = Math.sqrt(dot(direction, direction));
    for (let p = 0; p < PIXELS; p++) direction[p] /= length;
  });
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let p = 0; p < a.length; p++) sum += a[p] * b[p];
  return sum;
}

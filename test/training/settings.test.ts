import { describe, expect, it } from 'vitest';
import { resolveSettings } from '../../src/training/settings.ts';

describe('codes that would fill the memory', () => {
  const kept = (n: number, options: object = {}) =>
    resolveSettings({ H: 32, ...options }, { n, V: 100 }).keepCodes;

  it('are found anew, unless somebody says otherwise', () => {
    expect(kept(1000)).toBe(true);
    expect(kept(1000, { codes: 'recompute' })).toBe(false);
    expect(kept(8e6)).toBe(true);
    expect(kept(9e6)).toBe(false);
    expect(kept(9e6, { codes: 'keep' })).toBe(true);
  });

  it('are kept where something that was asked for needs them', () => {
    expect(kept(9e6, { encoding: 'bits' })).toBe(true);
    expect(kept(9e6, { algorithm: 'paper' })).toBe(true);
    expect(kept(9e6, { rowWeights: new Uint8Array(9e6).fill(1) })).toBe(true);
  });
});

describe('epochs, unless they are given,', () => {
  const epochs = (n: number, options: object = {}, streamed = false) =>
    resolveSettings({ H: 32, ...options }, { n, V: 100, streamed }).epochs;

  it('suffice for two thousand steps of W, and for codes to come close', () => {
    expect(epochs(50_000, { ridge: 0 })).toBe(40);
    expect(epochs(5e6, { ridge: 0 })).toBe(20);
  });

  it('may be fewer where rows or codes are taken anew in each of them', () => {
    expect(epochs(50_000, { codes: 'recompute' })).toBe(40);
    expect(epochs(150_000, { codes: 'recompute' })).toBe(13);
    expect(epochs(150_000, {}, true)).toBe(13);
    expect(epochs(9e6)).toBe(10);
  });

  it('are a tenth of them before rounds', () => {
    expect(resolveSettings({ H: 32 }, { n: 50_000, V: 784 }).epochs).toBe(4);
  });
});

describe('epochs before the rounds of a wide table', () => {
  it('are more for few rows, whose new ones rounds alone serve badly', () => {
    const epochs = [100, 5000, 8000, 12_000, 20_000, 100_000].map(
      (n) => resolveSettings({ H: 16 }, { n, V: 8192 }).epochs,
    );
    expect(epochs).toEqual([4, 4, 3, 2, 1, 1]);
  });
});

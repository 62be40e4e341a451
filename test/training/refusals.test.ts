import { describe, expect, it } from 'vitest';
import { encodings } from '../../src/encodings/by-name.ts';
import { hamming } from '../../src/losses/hamming.ts';
import { FIT_OPTIONS } from '../../src/training/options.ts';
import { checkExclusions, exclusionIn } from '../../src/training/refusals.ts';

describe('what excludes what', () => {
  it.each(encodings.flatMap(({ name, refuses }) => Object.keys(refuses).map((other) => [name, other])))(
    'encoding %s names an option that exists: %s',
    (_name, other) => {
      const elsewhere = ['effort', 'bound', 'draws', 'shrink', 'path'];
      expect([...FIT_OPTIONS, ...elsewhere]).toContain(other);
    },
  );

  it.each([
    [{ encoding: 'bits', chosen: [1] }, 'encoding', 'chosen'],
    [{ encoding: 'bits', bias: false }, 'encoding', 'bias'],
    [{ encoding: 'real', l1: [0, 0.1] }, 'encoding', 'l1'],
    [{ algorithm: 'paper', bias: true }, 'algorithm', 'bias'],
    [{ algorithm: 'paper-text', bias: true }, 'algorithm', 'bias'],
    [{ algorithm: 'paper', ridge: 'auto' }, 'algorithm', 'ridge'],
    [{ codes: 'recompute', rowWeights: [1] }, 'codes', 'rowWeights'],
    [{ noise: { mask: 0.1 }, loss: hamming }, 'noise.mask', 'loss'],
    [{ noise: { clean: [] }, l1: 0.1 }, 'noise.clean', 'l1'],
    [{ path: true, algorithm: 'paper' }, 'path', 'algorithm'],
  ])('%j', (options, one, other) => {
    expect(exclusionIn(options)).toMatchObject({ one, other });
  });

  it.each([
    {},
    { encoding: 'bits', bias: true, l1: 0, codes: 'keep', algorithm: 'fast' },
    { encoding: 'real', l1: [0, 0] },
    { algorithm: 'paper', bias: false, ridge: 0, minImprovement: 0 },
    { noise: { clean: [] }, loss: hamming },
    { encoding: 'no such encoding', chosen: [1] },
  ])('lets pass what asks for nothing else: %j', (options) => {
    expect(exclusionIn(options)).toBeUndefined();
  });

  it('is said in one sentence, with the values that are words', () => {
    expect(() => checkExclusions('fit', { encoding: 'bits', codes: 'recompute' })).toThrow(
      "fit: encoding 'bits' and codes 'recompute' exclude each other: codes of bits are all kept while they are learned",
    );
  });
});

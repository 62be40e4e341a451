import { describe, expect, it } from 'vitest';
import { numbersIn, sayShards, spansOf } from '../../src/spans.ts';
import { WarmCodes } from '../../src/work/warm-codes.ts';

const codes = (value: number) => new Float32Array(4).fill(value);

describe('codes in memory', () => {
  it('are found after as many rounds of a path as possible, of the last two', () => {
    const warm = new WarmCodes(1000);
    warm.keep('m', 3, ['a'], codes(1));
    warm.keep('m', 3, ['a', 'b'], codes(2));
    expect(warm.find('m', 3, ['a', 'b', 'c'])).toEqual({ codes: codes(2), rounds: 2 });
    // The second round counted for nothing.
    expect(warm.find('m', 3, ['a', 'c'])).toEqual({ codes: codes(1), rounds: 1 });
    warm.keep('m', 3, ['a', 'b', 'c'], codes(3));
    expect(warm.find('m', 3, ['a', 'c'])).toBeUndefined();
    expect(warm.find('m', 4, ['a'])).toBeUndefined();
    expect(warm.shards()).toEqual({ manifest: 'm', shards: [[3, 4]] });
  });

  it('give way to others when there is no room, the oldest first', () => {
    const warm = new WarmCodes(32);
    for (const shard of [0, 1, 2]) warm.keep('m', shard, ['a'], codes(shard));
    expect(warm.shards()?.shards).toEqual([[1, 3]]);
  });
});

describe('spans of shards', () => {
  it('name numbers in order, neighbours together', () => {
    expect(spansOf([4, 0, 1, 2])).toEqual([
      [0, 3],
      [4, 5],
    ]);
    expect(numbersIn(spansOf([4, 0, 1, 2]))).toEqual([0, 1, 2, 4]);
    expect([sayShards([[3, 4]]), sayShards(spansOf([0, 1, 2, 4]))]).toEqual(['shard 3', 'shards 0-2, 4']);
  });
});

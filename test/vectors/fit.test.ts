import { describe, expect, it, vi } from 'vitest';
import { reorderCodes } from '../../src/bits/pack.ts';
import { openScores } from '../../src/search/node/index.ts';
import { VectorCodes } from '../../src/vectors/codes.ts';
import { loadVectorCodes, saveVectorCodes } from '../../src/vectors/file.ts';
import { fitVectors } from '../../src/vectors/fit.ts';
import { fitVectors as fitOnThreads } from '../../src/vectors/node/index.ts';
import { METRICS } from '../../src/vectors/vectors.ts';
import { clustered, costBetween, recallOf } from './data.ts';

const base = clustered(700, 20, 1);
const queries = clustered(40, 20, 2);

describe('fitVectors', () => {
  for (const metric of METRICS) {
    it(`finds neighbours by ${metric}`, async () => {
      const model = await fitVectors(base, { bits: 64, metric, rounds: 8 });
      const { codes, constants, error } = await model.encode(base);
      expect(error).toBeLessThan(0.1);
      const scores = await openScores(codes, constants);
      const found = await scores.nearest(model.tables(queries), 10);
      expect(recallOf(base, queries, metric, found)).toBeGreaterThan(0.6);
      await scores.close();
    });
  }

  it('learns the same on any number of threads, and another model from another seed', async () => {
    const options = { bits: 32, metric: 'euclidean', rounds: 3 } as const;
    const alone = await fitVectors(base, options);
    const shared = await fitOnThreads(base, { ...options, threads: 3 });
    expect(shared.words).toEqual(alone.words);
    expect((await shared.encode(base)).codes).toEqual((await alone.encode(base)).codes);
    expect((await fitVectors(base, { ...options, seed: 2 })).words).not.toEqual(alone.words);
  });

  it('has errors that fall with every round in which codes are kept', async () => {
    const errors: number[] = [];
    await fitVectors(base, {
      ...{ bits: 24, metric: 'euclidean', rounds: 16 },
      onProgress: (_, error) => errors.push(error),
    });
    expect(errors).toHaveLength(16);
    for (let r = 13; r < 16; r++) expect(errors[r]).toBeLessThanOrEqual(errors[r - 1] * 1.001);
  });

  it('says what cannot be', async () => {
    const options = { bits: 16, metric: 'cosine' } as const;
    await expect(fitVectors(base, { ...options, bits: 12 })).rejects.toThrow('multiple of 8');
    await expect(fitVectors(base, { ...options, metric: 'l2' as 'cosine' })).rejects.toThrow('metric');
    await expect(fitVectors([[1, 2]], options)).rejects.toThrow('two vectors or more');
    await expect(
      fitVectors(
        [
          [1, Number.NaN],
          [1, 2],
        ],
        options,
      ),
    ).rejects.toThrow('vector 0, entry 1 is NaN');
    await expect(fitVectors([[1], [1, 2]], options)).rejects.toThrow('vector 1 has 2 numbers');
    const flat = { data: new Float32Array(4), n: 2, V: 2 };
    await expect(fitVectors(flat as never, options)).rejects.toThrow('vectors: expected arrays of numbers');
  });

  it('hears of an abort before it looks at vectors, and while it looks for words to begin with', async () => {
    const options = { bits: 64, metric: 'cosine', rounds: 8 } as const;
    const reason = new Error('enough');
    const before = AbortSignal.abort(reason);
    await expect(fitVectors([[1], [1, 2]], { ...options, signal: before })).rejects.toBe(reason);
    const stop = new AbortController();
    const look = vi.spyOn(stop.signal, 'throwIfAborted');
    look.mockImplementation(() => {
      if (look.mock.calls.length < 100) return;
      stop.abort(reason);
      throw reason;
    });
    const rounds: number[] = [];
    const onProgress = (share: number) => rounds.push(share);
    await expect(fitVectors(base, { ...options, signal: stop.signal, onProgress })).rejects.toBe(reason);
    expect(rounds).toEqual([]);
  });
});

describe('VectorCodes', () => {
  it('costs what the distance to the decoded vector costs, but for a number that all codes share', async () => {
    const learned = await fitVectors(base, { bits: 32, metric: 'euclidean', rounds: 2 });
    const model = loadVectorCodes(saveVectorCodes(learned));
    const exact = new VectorCodes({ ...model, temperature: 1 });
    const { codes, constants } = await exact.encode(base);
    const decoded = exact.decode(codes);
    const { values, halves } = exact.tables(queries);
    const costs = Array.from({ length: 50 }, (_, i) => {
      let cost = constants[i];
      for (let m = 0; m < halves; m++) {
        cost += values[m * 16 + ((codes.bytes[i * 4 + (m >> 1)] >> (4 * (m & 1))) & 15)];
      }
      return cost - costBetween(queries, 0, decoded, i, 'euclidean') / 2;
    });
    for (const cost of costs) expect(cost).toBeCloseTo(costs[0], 3);
  });

  it('counts the own lengths of vectors for Euclidean neighbours, of which codes leave much', async () => {
    // Vectors in few directions, of very different lengths: codes of 8 bits cannot tell the lengths.
    const stretched = (data: typeof base) => ({
      ...data,
      values: data.values.map((value, k) => value * (1 + (Math.floor(k / data.V) % 13))),
    });
    const [vectors, asked] = [stretched(base), stretched(queries)];
    const model = await fitVectors(vectors, { bits: 8, metric: 'euclidean', rounds: 4 });
    const { codes, constants } = await model.encode(vectors);
    expect(constants).toEqual(model.constants(codes, vectors));
    const recall = async (costs: Float32Array) => {
      const scores = await openScores(codes, costs);
      const found = await scores.nearest(model.tables(asked), 10);
      await scores.close();
      return recallOf(vectors, asked, 'euclidean', found);
    };
    expect(await recall(constants)).toBeGreaterThan(await recall(model.constants(codes)));
    expect(() => model.constants(codes, asked)).toThrow('one for each of 700 codes');
  });

  it('comes back from its file as it was, and refuses other files', async () => {
    const model = await fitVectors(base, { bits: 16, metric: 'cosine', rounds: 1 });
    expect({ ...loadVectorCodes(saveVectorCodes(model)) }).toEqual({ ...model });
    const bytes = saveVectorCodes(model);
    expect(() => loadVectorCodes(bytes.subarray(0, 100))).toThrow();
    expect(() => loadVectorCodes(new TextEncoder().encode('no such file at all'))).toThrow();
  });

  it('takes queries with missing entries: they add nothing', async () => {
    const model = await fitVectors(base, { bits: 16, metric: 'inner', rounds: 1 });
    const [whole, partly] = [queries.values.slice(0, 20), queries.values.slice(0, 20)];
    whole[3] = 0;
    partly[3] = Number.NaN;
    expect(model.tables([partly])).toEqual(model.tables([whole]));
    expect(() => model.tables([whole.slice(1)])).toThrow('vectors of 19 numbers');
    await expect(model.encode([partly])).rejects.toThrow('NaN');
    const { codes } = await model.encode(base);
    expect(() => model.decode(reorderCodes(codes, 'msb'))).toThrow("must be 'lsb'");
  });
});

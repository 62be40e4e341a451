import { fit, impute } from 'pc-ae';
import { createEngine } from 'pc-ae/node';
import { memorySource, type Rows, sliceRows } from 'pc-ae/rows';
import { describe, expect, it } from 'vitest';
import { directoryBoard } from '../../src/board/directory.ts';
import { imputeTable } from '../../src/jobs/impute.ts';
import { sweepTable } from '../../src/jobs/sweep.ts';
import { openTable } from '../../src/jobs/table.ts';
import { shardSource } from '../../src/shard.ts';
import { work } from '../../src/worker.ts';
import { fileStore, patterns, workFolder } from '../helpers.ts';

const at = workFolder();
const stride = 5;
const known = new Uint8Array(300 * stride).map((_, k) => (k % 3 === 0 ? 0xe7 : 0xff));
const rows = { ...patterns(300, 40), known } as Rows;

/** A worker in this process for as long as something is done. */
async function withWorker<T>(name: string, action: (crew: Crew) => Promise<T>): Promise<T> {
  const engine = await createEngine({ threads: 1, relaxed: false });
  const stop = new AbortController();
  const board = directoryBoard(at(name, 'queue'));
  const store = fileStore(at(name, 'store'));
  const working = work(board, store, engine, { name: 'ann', signal: stop.signal });
  try {
    return await action({ board, store });
  } finally {
    stop.abort();
    await working;
    await engine.close();
  }
}

type Crew = Parameters<typeof imputeTable>[2];

describe('jobs on a table in shards', () => {
  it('fill in what is unknown as one machine does', async () => {
    const model = await fit(rows, { H: 3, epochs: 3 });
    const { shrink } = await impute(model, sliceRows(rows, 0, 100));
    // It rounds as workers do, who never fuse multiply-adds.
    const engine = await createEngine({ threads: 1, relaxed: false });
    const expected = await impute(model, rows, { shrink, engine });
    await engine.close();
    const found = await withWorker('impute', async (crew) => {
      const { manifest } = await shardSource(memorySource(rows), crew.store, { shardRows: 100 });
      const filled: number[] = [];
      for await (const values of imputeTable(await openTable(manifest, crew.store), model, crew))
        filled.push(...values);
      return filled;
    });
    expect(found).toEqual([...expected.values]);
  });

  it('learn a model per size and ridge, and judge them by hidden entries', async () => {
    const trials = await withWorker('sweep', async (crew) => {
      const { manifest } = await shardSource(memorySource(rows), crew.store, { shardRows: 100 });
      const table = await openTable(manifest, crew.store);
      return sweepTable(table, { Hs: [1, 4], ridges: [0.1], sampleRows: 150 }, crew);
    });
    expect(trials.map(({ H, ridge }) => [H, ridge])).toEqual([
      [1, 0.1],
      [4, 0.1],
    ]);
    for (const { entryLoss, entryLossAtBaseRates, heldOutLoss } of trials) {
      expect(entryLoss).toBeLessThan(entryLossAtBaseRates);
      expect(heldOutLoss).toBeGreaterThan(0);
    }
  });
});

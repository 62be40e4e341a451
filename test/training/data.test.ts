import { describe, expect, it } from 'vitest';
import { floatsOf } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { collect, memorySource } from '../../src/rows/memory.ts';
import { allKnown, sliceRows } from '../../src/rows/rows.ts';
import type { RowSource } from '../../src/rows/source.ts';
import { gatheredData, residentData, streamedData, type TrainingData } from '../../src/training/data.ts';
import { toyRows } from './toy.ts';

const rows = toyRows(60);

/** A source that says it has n rows and gives 60, 40 at a time. */
const claiming = (n: number): RowSource => ({
  n,
  V: rows.V,
  async *chunks() {
    yield sliceRows(rows, 0, 40);
    yield sliceRows(rows, 40, 60);
  },
});

/** Where the blocks of `size` rows begin, and how many rows each has. */
async function placesOf(source: RowSource, size: number): Promise<[number, number][]> {
  const found: [number, number][] = [];
  const data = streamedData(referenceEngine(), source, size);
  for await (const { block, offset } of data.blocks()) found.push([offset, block.n]);
  return found;
}

/** Rows with gaps in the second chunk only. */
const gappy: RowSource = {
  n: 60,
  V: rows.V,
  async *chunks() {
    yield sliceRows(rows, 0, 40);
    yield { ...sliceRows(rows, 40, 60), known: allKnown(20, rows.V).fill(0x5b, 3, 40) };
  },
};

describe('gathered rows', () => {
  it('are those of memory in the same places, with gaps that come late and without', async () => {
    const engine = await createEngine({ threads: 1 });
    for (const source of [memorySource(rows), gappy]) {
      const all = await collect(source);
      const gathered = await gatheredData(engine, source, 7);
      const resident = residentData(engine, all, 7);
      expect(await gathered.sample(50)).toEqual(await resident.sample(50));
      expect(gathered.order).toEqual(resident.order);
      const decoded = async (data: TrainingData) => {
        for await (const { block, entryAt } of data.blocks()) {
          const entries = Array.from({ length: rows.V }, (_, v) => entryAt(3, v));
          const A = floatsOf(
            engine,
            Float32Array.from({ length: rows.V * 2 }, (_, k) => Math.sin(k)),
          );
          const Y = engine.floats(rows.n * 2);
          await engine.project(block, A, 2, Y);
          return { entries, projected: await Y.read() };
        }
      };
      expect(await decoded(gathered)).toEqual(await decoded(resident));
      for (const data of [gathered, resident]) data.close();
    }
    await engine.close();
  });
});

describe('streamed rows', () => {
  it('are placed one block after the other', async () => {
    expect(await placesOf(claiming(60), 40)).toEqual([
      [0, 40],
      [40, 20],
    ]);
  });

  it('fill their blocks, however few a reader hands out at a time: a block of all rows has all of them', async () => {
    expect(await placesOf(claiming(60), 25)).toEqual([
      [0, 25],
      [25, 25],
      [50, 10],
    ]);
    expect(await placesOf(claiming(60), 1000)).toEqual([[0, 60]]);
    const data = streamedData(referenceEngine(), gappy, 50);
    expect(await data.sample(45)).toEqual(sliceRows(await collect(gappy), 0, 45));
    expect((await data.sample(60)).n).toBe(50);
  });
});

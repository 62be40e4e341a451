import { describe, expect, it } from 'vitest';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { sliceRows } from '../../src/rows/rows.ts';
import type { RowSource } from '../../src/rows/source.ts';
import { streamedData } from '../../src/training/data.ts';
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

async function offsets(source: RowSource): Promise<number[]> {
  const found: number[] = [];
  const data = streamedData(referenceEngine(), source, 40);
  for await (const { offset } of data.blocks()) found.push(offset);
  return found;
}

describe('streamed rows', () => {
  it('are placed one block after the other', async () => {
    expect(await offsets(claiming(60))).toEqual([0, 40]);
  });
});

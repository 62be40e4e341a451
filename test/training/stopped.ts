import { expect } from 'vitest';
import { fit } from '../../src/model/fit.ts';
import type { Rows } from '../../src/rows/rows.ts';
import type { RowSource } from '../../src/rows/source.ts';
import type { Checkpoint } from '../../src/training/checkpoint/checkpoint.ts';
import type { FitOptions } from '../../src/training/options.ts';

/** Aborts a run after so many visits; what it saved when it heard of that. */
export async function stoppedAfter(
  visits: number,
  rows: Rows | RowSource,
  options: FitOptions,
): Promise<Checkpoint> {
  const stop = new AbortController();
  let saved: Checkpoint | undefined;
  let seen = 0;
  const checkpoint = {
    every: 0,
    async save(taken: Checkpoint) {
      saved = structuredClone(taken);
      if (++seen === visits) stop.abort();
    },
  };
  await expect(fit(rows, { ...options, signal: stop.signal, checkpoint })).rejects.toMatchObject({
    name: 'AbortError',
  });
  return saved!;
}

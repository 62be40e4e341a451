import { describe, expect, it } from 'vitest';
import type { OpenBlock } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { hamming } from '../../src/losses/hamming.ts';
import { type Rows, rowBytes } from '../../src/rows/rows.ts';
import type { RowSource } from '../../src/rows/source.ts';
import { fingerprintOf } from '../../src/training/checkpoint/fingerprint.ts';
import { differencesOf } from '../../src/training/checkpoint/other-run.ts';
import { type ReadOptions, resolveSettings } from '../../src/training/settings.ts';
import { fitsInMemory, gathers, splitRows } from '../../src/training/training-set.ts';

const [n, V] = [210_000, 1000];

/** Rows without end to them: 26 MB as bits, 840 MB as real values. */
function source(kind: Rows['kind']): RowSource & { readonly read: number } {
  return {
    n,
    V,
    read: 0,
    async *chunks(size) {
      for (let i = 0; i < n; i += size) {
        const count = Math.min(size, n - i);
        (this as { read: number }).read += count;
        if (kind === 'bits') yield { kind, n: count, V, bits: new Uint8Array(count * rowBytes(V)) };
        else yield { kind, n: count, V, values: new Float32Array(count * V) };
      }
    },
  };
}

/** The same rows, some of whose entries are missing. */
async function* withGaps(chunks: AsyncIterable<Rows>): AsyncGenerator<Rows> {
  for await (const rows of chunks) {
    if (rows.kind === 'bits') yield { ...rows, known: new Uint8Array(rows.bits.length) };
  }
}

/** An engine that has room for any rows. */
const roomy = { blank: () => ({ free() {} }) as OpenBlock };

describe('the rows to learn from', () => {
  it('are kept in memory where they fit as what they are: bits', async () => {
    const { training } = await splitRows(source('bits'), { seed: 1, keepCodes: true });
    expect('kind' in training.rows && training.rows.kind).toBe('bits');
  });

  it('are streamed where they do not: real values, of which no more than a look is taken', async () => {
    const real = source('real');
    const { training } = await splitRows(real, { seed: 1, keepCodes: true });
    expect(training.rows === real).toBe(true);
    expect(real.read).toBeLessThan(1000);
  });

  it('are read into the engine where they fit there: bits whose codes are kept, for learning that ends with rounds', async () => {
    const large = { ...source('bits'), n: 50_000, V: 200_000 };
    const settings = resolveSettings({ H: 16 }, large);
    expect(await fitsInMemory(large)).toBe(false);
    expect(await gathers(roomy, large, settings)).toBe(true);
    expect(await gathers({}, large, settings)).toBe(false);
    expect(await gathers(roomy, { ...large, n: 70_000 }, settings)).toBe(false);
    expect(await gathers(roomy, { ...source('real'), n: 50_000, V: 200_000 }, settings)).toBe(false);
    const other = (options: Partial<ReadOptions>) => resolveSettings({ H: 16, ...options }, large);
    expect(await gathers(roomy, large, other({ codes: 'recompute' }))).toBe(false);
    expect(await gathers(roomy, large, other({ loss: hamming }))).toBe(false);
  });

  it('are not read into an engine without room for them: its memory may be limited', async () => {
    const engine = await createEngine({ threads: 1, memory: 2 ** 24 });
    const few = { ...source('bits'), n: 10_000 };
    expect(await gathers(engine, few, resolveSettings({ H: 16 }, few))).toBe(true);
    const many = { ...source('bits'), n: 200_000 };
    expect(await gathers(engine, many, resolveSettings({ H: 16 }, many))).toBe(false);
    // Neither for their codes beside them, nor for which of their entries are known.
    const some = { ...source('bits'), n: 100_000 };
    expect(await gathers(engine, some, resolveSettings({ H: 4 }, some))).toBe(true);
    expect(await gathers(engine, some, resolveSettings({ H: 16 }, some))).toBe(false);
    const gappy = { ...some, chunks: () => withGaps(some.chunks(8)) };
    expect(await gathers(engine, gappy, resolveSettings({ H: 4 }, gappy))).toBe(false);
    await engine.close();
  });

  it('identify a run by whether they were read into the engine too: codes then stand in another order', async () => {
    const rows = { kind: 'bits', n: 3, V: 8, bits: Uint8Array.of(1, 2, 3) } as const;
    const settings = resolveSettings({ H: 2 }, rows);
    const [again, once] = [
      await fingerprintOf(settings, { rows }),
      await fingerprintOf(settings, { rows }, undefined, true),
    ];
    const shorter = once.replace('"epochs":', '"epochs":1');
    expect(differencesOf(shorter, again)).toBe('order of rows is shuffled there, none here');
  });
});

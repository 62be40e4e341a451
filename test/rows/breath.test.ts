import { expect, it, vi } from 'vitest';
import { packCodes } from '../../src/bits/pack.ts';
import { compressRows } from '../../src/compress/compress.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { fit } from '../../src/model/fit.ts';
import { atOnce, Breath, inPieces, inTurns } from '../../src/rows/breath.ts';
import { asRows, readRows } from '../../src/rows/input.ts';
import { nearest } from '../../src/search/search.ts';
import { toyRows } from '../training/toy.ts';

it('gives the event loop turns between rows that are encoded in plain JavaScript', async () => {
  const engine = await createEngine({ threads: 1 });
  const rows = toyRows(25);
  const model = await fit(rows, { H: 3, epochs: 2, certify: false, engine });
  await engine.close();
  const turns = await turnsOf(() => model.encode(rows, { engine: referenceEngine(), tolerance: 1e-6 }));
  expect(turns).toBeGreaterThanOrEqual(rows.n);
});

it('takes steps at once, or in turns until a signal aborts', async () => {
  const done: number[] = [];
  const steps = () => inPieces(10, 3, (start, end) => done.push(end - start));
  atOnce(steps());
  expect(done.splice(0)).toEqual([3, 3, 3, 1]);
  await inTurns(steps());
  expect(done.splice(0)).toEqual([3, 3, 3, 1]);
  const stop = new AbortController();
  const stopping = inPieces(10, 3, (start) => {
    done.push(start);
    if (start === 3) stop.abort(new Error('enough'));
  });
  await expect(inTurns(stopping, stop.signal)).rejects.toThrow('enough');
  expect(done).toEqual([0, 3]);
});

/** Work that lies outside of an engine, and the least turns it has to give on its way. */
const data = Float32Array.from({ length: 2 ** 20 }, (_, k) => (k % 3 === 0 ? 1 : 0));
const grey = Uint8Array.from({ length: 2 ** 20 }, (_, k) => k % 256);
const bits = asRows({ data: data.subarray(0, 8000), n: 500, V: 16 });
const code = { W: new Float32Array(16 * 2), shape: { V: 16, H: 2, bias: false } };
const codes = packCodes(new Float32Array(1000).fill(1), { n: 500, H: 2 }, 'lsb');
it.each<[string, number, (signal?: AbortSignal) => Promise<unknown>]>([
  ['a flat table', 16, (signal) => readRows({ data, n: 1024, V: 1024 }, 'rows', undefined, signal)],
  [
    'pictures',
    8,
    (signal) => readRows({ images: grey, n: 1024, height: 32, width: 32 }, 'rows', undefined, signal),
  ],
  ['a search', 8, (signal) => nearest(codes, codes, 1, { signal })],
  ['compression', 500, (signal) => compressRows(bits, { ...code, codes, signal })],
])('hears of an abort while it works on %s', async (_, least, work) => {
  expect(await turnsOf(() => work())).toBeGreaterThanOrEqual(least);
  const stop = new AbortController();
  const stopped = () => expect(work(stop.signal)).rejects.toThrow('enough');
  expect(await turnsOf(stopped, () => stop.abort(new Error('enough')))).toBe(1);
});

/** The turns of the event loop that work takes if every step is long; `during` runs in the first one. */
async function turnsOf(work: () => Promise<unknown>, during?: () => void): Promise<number> {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 100;
    return now;
  });
  const turns = vi.spyOn(Breath.prototype, 'take').mockImplementation(async () => during?.());
  try {
    await work();
    return turns.mock.calls.length;
  } finally {
    turns.mockRestore();
    clock.mockRestore();
  }
}

import { afterEach, describe, expect, test, vi } from 'vitest';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { openBytes } from '../../src/formats/open.ts';
import { collect } from '../../src/rows/memory.ts';

/** An array in Fortran order, which is turned around in memory: nothing is waited for. */
function fortran(n: number, V: number): Uint8Array {
  const head = Buffer.from(`{'descr': '|u1', 'fortran_order': True, 'shape': (${n}, ${V}), }\n`);
  const start = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, head.length, 0];
  return new Uint8Array(Buffer.concat([Uint8Array.from(start), head, new Uint8Array(n * V).fill(1)]));
}

afterEach(() => vi.restoreAllMocks());

describe('long reading out of memory', () => {
  test('hears a signal, while it opens a table and while it collects the rows', async () => {
    const bytes = memoryBytes('a.npy', fortran(50_000, 2));
    const source = await openBytes(bytes);
    // A clock by which everything takes long.
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 100;
      return now;
    });
    const soon = () => {
      const stop = new AbortController();
      setImmediate(() => stop.abort());
      return stop.signal;
    };
    await expect(openBytes(bytes, { signal: soon() })).rejects.toThrow('abort');
    await expect(collect(source, { signal: soon() })).rejects.toThrow('abort');
  });
});

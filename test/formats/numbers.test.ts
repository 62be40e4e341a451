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

describe('whether entries are missing', () => {
  const opened = (name: string, text: string, options = {}) =>
    openBytes(memoryBytes(name, new TextEncoder().encode(text)), options);

  test('is said where opening has seen all entries, and left open elsewhere', async () => {
    const csv = '1,0\n0,1\n1,\n';
    expect((await opened('a.csv', csv)).gaps).toBe(true);
    expect((await opened('a.csv', '1,0\n0,1\n')).gaps).toBe(false);
    expect((await opened('a.csv', csv, { rows: [0, 1] })).gaps).toBeUndefined();
    expect((await opened('a.csv', '1,0\n0,1\n', { rows: [1] })).gaps).toBe(false);
    const mtx = '%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n';
    expect((await opened('a.mtx', mtx)).gaps).toBe(false);
    expect((await openBytes(memoryBytes('a.npy', fortran(2, 2)), { values: 'bits' })).gaps).toBeUndefined();
  });
});

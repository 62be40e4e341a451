import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { afterAll } from 'vitest';
import { SETS } from '../src/datasets.ts';

/** Height and width of the made-up pictures. */
const SIDE = 6;

/** A folder with all four sets in their real layout and format, a few small pictures each. */
export function fakeData(): { readonly data: string; readonly at: (name: string) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'pcae-paper-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, 'data');
  let seed = 1;
  for (const set of Object.values(SETS)) {
    const { train, validation, test } = set as Partial<Record<string, string>>;
    for (const [file, n] of [
      [train, 60],
      [validation, 20],
      [test, 20],
    ] as const) {
      if (!file) continue;
      write(join(data, file), idx([n, SIDE, SIDE], pictures(n, seed++, file.startsWith('caltech'))));
    }
  }
  write(
    join(data, SETS.mnist.labels),
    idx(
      [20],
      Uint8Array.from({ length: 20 }, (_, i) => i % 10),
    ),
  );
  return { data, at: (name) => join(folder, name) };
}

/** Bars at random places: grey, or black and white. */
function pictures(n: number, seed: number, binary: boolean): Uint8Array {
  const random = xoroshiro128plus(seed);
  const share = () => (random.next() >>> 0) / 2 ** 32;
  const out = new Uint8Array(n * SIDE * SIDE);
  for (let i = 0; i < n; i++) {
    const [line, across, grey] = [Math.floor(SIDE * share()), share() < 0.5, 120 + 135 * share()];
    for (let k = 0; k < SIDE; k++) {
      const pixel = across ? line * SIDE + k : k * SIDE + line;
      out[i * SIDE * SIDE + pixel] = binary ? 255 : grey;
    }
  }
  return out;
}

function idx(shape: readonly number[], bytes: Uint8Array): Uint8Array {
  const header = Buffer.alloc(4 + 4 * shape.length);
  header[2] = 8;
  header[3] = shape.length;
  shape.forEach((size, d) => {
    header.writeUInt32BE(size, 4 + 4 * d);
  });
  return Buffer.concat([header, bytes]);
}

function write(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, gzipSync(bytes));
}

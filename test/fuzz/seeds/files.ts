import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addNames, addSparse, sparseOf, writeH5 } from '../../formats/h5/write.ts';
import { plain, type Seed } from './seed.ts';

/** Formats that are read from files alone. */
export async function fileSeeds(): Promise<Seed[]> {
  return [plain('h5', 'a.h5ad', await annData()), plain('bed', 'a.bed', bed)];
}

/** A .bed of five individuals and three variants, and what stands beside it. */
const bed = Uint8Array.of(0x6c, 0x1b, 1, 0b11100011, 2, 0b01001110, 3, 0b11111111, 0);
export const BESIDE = {
  fam: Array.from({ length: 5 }, (_, i) => `f${i} i${i} 0 0 1 -9\n`).join(''),
  bim: Array.from({ length: 3 }, (_, v) => `1 rs${v} 0 ${v} A G\n`).join(''),
};

async function annData(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'pcae-fuzz-'));
  const path = join(folder, 'a.h5ad');
  const bits = [
    [0, 1, 0],
    [1, 0, 1],
  ];
  // The file keeps the times of its parts; the same seed shall make the same files tomorrow.
  const { now } = Date;
  Date.now = () => 0;
  try {
    await writeH5(path, (file) => {
      addSparse(file, 'X', sparseOf(bits, 'csr'));
      addNames(file, 'obs', ['a', 'b']);
      addNames(file, 'var', ['x', 'y', 'z']);
    });
  } finally {
    Date.now = now;
  }
  const bytes = await readFile(path);
  await rm(folder, { recursive: true });
  return new Uint8Array(bytes);
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packCodes } from '../../../src/bits/pack.ts';
import { compressRows } from '../../../src/compress/compress.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { encodeNpy } from '../../../src/formats/npy.ts';
import { fit } from '../../../src/model/fit.ts';
import { fitStack } from '../../../src/model/fit-stack.ts';
import { checkpointFile } from '../../../src/node/checkpoints.ts';
import { memorySource } from '../../../src/rows/memory.ts';
import type { BitRows } from '../../../src/rows/rows.ts';
import type { Checkpoint } from '../../../src/training/checkpoint/checkpoint.ts';
import type { FitOptions } from '../../../src/training/options.ts';
import { random } from '../random.ts';
import { repaired } from '../repair.ts';
import { collected, concat, plain, type Seed } from './seed.ts';

/** What the models of the seeds learn from, and what damaged ones are asked to encode. */
export function fuzzRows(V = 12): BitRows {
  const draw = random(7);
  const n = 40;
  const stride = Math.ceil(V / 8);
  const bits = new Uint8Array(n * stride);
  for (let i = 0; i < n; i++) {
    const kind = draw.below(3);
    for (let v = 0; v < V; v++) {
      if ((v % 3 === kind) !== draw.oneIn(8)) bits[i * stride + (v >> 3)] |= 1 << (v & 7);
    }
  }
  return { kind: 'bits', n, V, bits };
}

const RUN: FitOptions = { H: 2, epochs: 3, seed: 1 };

/** What the runs of the checkpoints were started with: one of each procedure. */
export const RUNS: Readonly<Record<string, FitOptions>> = {
  'fast.checkpoint': { ...RUN, validation: 0.2 },
  'bits.checkpoint': { ...RUN, encoding: 'bits' },
  'paper.checkpoint': { ...RUN, algorithm: 'paper' },
};

/** A safetensors file in three parts: the JSON of the header, the JSON in its metadata, the numbers. */
function safetensors(name: string, bytes: Uint8Array, key: string): Seed {
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as {
    __metadata__: Record<string, string>;
  };
  const { [key]: found, ...others } = header.__metadata__;
  // Times differ from run to run; a seed's files do not.
  const about = found.replace(/"seconds":[^,}]*/g, '"seconds":1');
  const encode = (value: string) => new TextEncoder().encode(value);
  return {
    format: 'model',
    name,
    parts: [
      encode(JSON.stringify({ ...header, __metadata__: others })),
      encode(about),
      bytes.slice(8 + length),
    ],
    build([head, metadata, numbers]) {
      const inner = JSON.stringify(new TextDecoder().decode(metadata));
      const outer = new TextDecoder().decode(head);
      const entry = `"__metadata__":{"${key}":${inner}${'crc32' in others ? ',' : ''}`;
      const full = encode(outer.replace('"__metadata__":{', () => entry));
      const size = new Uint8Array(8);
      new DataView(size.buffer).setBigUint64(0, BigInt(full.length), true);
      return concat(size, full, numbers);
    },
  };
}

/** Models, a checkpoint, compressed rows and codes. */
export async function modelSeeds(engine: Engine): Promise<Seed[]> {
  const rows = fuzzRows();
  const columns = Array.from({ length: rows.V }, (_, v) => `column ${v}`);
  const named = memorySource(rows, { columns });
  const chosen = Uint8Array.from({ length: rows.V * 2 }, (_, k) => k % 2);
  const given = { ...RUN, engine };
  const box = await fit(named, given);
  const wide = fuzzRows(120);
  const models = [
    box,
    await fit(rows, { ...given, chosen }),
    await fit(wide, { ...given, H: 8, l1: 0.3 }),
    await fit(rows, { ...given, encoding: 'real' }),
    await fit(rows, { ...given, encoding: 'bits' }),
    await fitStack(rows, { layers: [3, 2], engine }),
  ];
  const codes = packCodes(
    (await box.encode(rows, { engine })).codes.map(Math.sign),
    { n: rows.n, H: 2 },
    'msb',
  );
  const packed = await compressRows(rows, { W: box.W, codes, shape: { V: rows.V, H: 2, bias: box.bias } });
  return [
    ...models.map((model, k) => safetensors(`model-${k}.safetensors`, model.save(), 'pc-ae')),
    ...(await Promise.all(Object.keys(RUNS).map((name) => checkpointSeed(name, engine)))),
    plain('packed', 'rows.pcae', packed),
    plain('codes', 'codes.npy', await collected(encodeNpy(memorySource(rows), { packed: true }))),
  ];
}

async function checkpointSeed(name: string, engine: Engine): Promise<Seed> {
  const bytes = await checkpoint({ ...RUNS[name], engine });
  const seed = safetensors(name, bytes, 'pc-ae-checkpoint');
  const format = 'checkpoint';
  return { ...seed, format, build: (parts) => repaired(format, seed.build(parts)) };
}

/** The file of the first checkpoint of a run. */
async function checkpoint(given: FitOptions): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'pcae-fuzz-'));
  const path = join(folder, 'checkpoint');
  try {
    let first: Checkpoint | undefined;
    const save = async (taken: Checkpoint) => {
      first ??= taken;
    };
    await fit(fuzzRows(), { ...given, checkpoint: { every: 0, save } });
    await checkpointFile(path).save(first!);
    return new Uint8Array(await readFile(path));
  } finally {
    await rm(folder, { recursive: true });
  }
}

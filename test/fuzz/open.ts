import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPackedCodes } from '../../src/cli/packed-codes.ts';
import { breakdown, decompressRows } from '../../src/compress/decompress.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { patience } from '../../src/formats/node/hdf5-reader.ts';
import { openSource } from '../../src/formats/node/open.ts';
import { openBytes } from '../../src/formats/open.ts';
import type { OpenedSource, OpenOptions } from '../../src/formats/options.ts';
import { fit } from '../../src/model/fit.ts';
import { load } from '../../src/model/load.ts';
import { checkpointFile } from '../../src/node/checkpoints.ts';
import { FormatError } from '../../src/rows/errors.ts';
import { memorySource } from '../../src/rows/memory.ts';
import type { Rows } from '../../src/rows/rows.ts';
import { OtherRunError } from '../../src/training/checkpoint/other-run.ts';
import type { Case } from './case.ts';
import { random } from './random.ts';
import { BESIDE } from './seeds/files.ts';
import { fuzzRows, RUNS } from './seeds/models.ts';

/** What became of a file: read, refused in words that name it, or something that must not happen. */
export interface Outcome {
  readonly kind: 'read' | 'refused' | 'finding';
  readonly message?: string;
}

/** What a reader may take of memory in a case, by `maxBytes`. */
export const MAX_BYTES = 2 ** 26;

// A small file needs no more.
patience.seconds = 1;

/** Opens the file as a user would: all rows of a table, codes by a model, learning on from a checkpoint. */
export async function open(given: Case, engine: Engine): Promise<Outcome> {
  try {
    await KINDS[kindOf(given)](given, engine);
    return { kind: 'read' };
  } catch (error) {
    return judged(error, given);
  }
}

function kindOf({ format }: Case): keyof typeof KINDS {
  return format in KINDS ? (format as keyof typeof KINDS) : 'table';
}

const KINDS = { table, h5: file, bed: file, model, checkpoint, packed, codes };

function judged(error: unknown, { name, format }: Case): Outcome {
  const { message } = error as Error;
  if (error instanceof FormatError && message.includes(name)) return { kind: 'refused', message };
  // Learning knows a checkpoint, not its file; but it speaks in sentences, unlike the engine of the language.
  const ofLearning = error instanceof OtherRunError || (error instanceof RangeError && !ENGINE.test(message));
  if (format === 'checkpoint' && ofLearning) return { kind: 'refused', message };
  const stack = error instanceof Error ? error.stack : undefined;
  return { kind: 'finding', message: stack ?? String(error) };
}

/** Errors of the range that nobody wrote for a user. */
const ENGINE =
  /^(Invalid|Array buffer|Maximum call|Offset|Start offset|offset|Source is too large|byte length|Out of)/i;

/** Something that was read does not hold what it promised. */
class WrongResult extends Error {
  override readonly name = 'WrongResult';
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new WrongResult(what);
}

/** Entries that are read of a table: a small sparse file may stand for rows of any length. */
const MOST_ENTRIES = 2 ** 22;

async function table({ name, bytes, choice }: Case): Promise<void> {
  const draw = random(choice);
  const asked: OpenOptions = {
    values: draw.pick([undefined, 'presence', 'bytes', 'bits']),
    binarize: draw.pick([undefined, 'none', 'threshold']),
    layout: draw.pick([undefined, 'items', 'long']),
    categorical: draw.oneIn(4) ? true : undefined,
  };
  const options: OpenOptions = { maxBytes: MAX_BYTES, ...(draw.oneIn(3) && asked) };
  await readThrough(await openBytes(memoryBytes(name, bytes), options), draw.pick([1, 7, 1024]));
}

async function file({ name, bytes, choice }: Case): Promise<void> {
  const draw = random(choice);
  await asFile(name, bytes, async (path) => {
    for (const [ending, text] of Object.entries(BESIDE)) await writeFile(path.replace(/\w+$/, ending), text);
    const genotypes = draw.pick(['dominant', 'additive'] as const);
    const source = await openSource(path, { maxBytes: MAX_BYTES, genotypes });
    await readThrough(source, draw.pick([1, 7, 1024]));
  });
}

/** Reads all rows, or as many as a test may, and compares them with what was promised. */
async function readThrough(source: OpenedSource, size: number): Promise<void> {
  const { n, V, columns, ids } = source;
  expect(n > 0 && V > 0, `${n} rows of ${V} columns`);
  if (columns)
    expect(columns.length === V && columns.every((c) => typeof c === 'string'), 'names of columns');
  if (ids) expect(ids.length === n && typeof ids.at(n - 1) === 'string', 'names of rows');
  let row = 0;
  for await (const rows of source.chunks(size)) {
    expect(rows.V === V, `rows of ${rows.V} where ${V} were promised`);
    checkEntries(rows);
    row += rows.n;
    if (row * V > MOST_ENTRIES) return;
  }
  expect(row === n, `${row} rows where ${n} were promised`);
}

function checkEntries(rows: Rows): void {
  if (rows.kind === 'real')
    for (const x of rows.values) expect(Number.isNaN(x) || (x >= -1 && x <= 1), `an entry ${x}`);
  else expect(rows.bits.length === rows.n * Math.ceil(rows.V / 8), `${rows.bits.length} bytes of bits`);
}

async function model({ name, bytes }: Case, engine: Engine): Promise<void> {
  const found = load(bytes, { name });
  const rows = fuzzRows(found.V);
  for await (const { codes, losses } of found.encodeSource(memorySource(rows), { engine })) {
    for (const x of codes) expect(Number.isFinite(x), `a code ${x}`);
    for (const x of Array.from(losses)) expect(!Number.isNaN(x), `a loss ${x}`);
    for (const x of await found.decode(codes, { engine })) expect(x >= -1 && x <= 1, `a reconstruction ${x}`);
  }
  load(found.save(), { name });
}

async function checkpoint({ name, bytes }: Case, engine: Engine): Promise<void> {
  await asFile(name, bytes, async (path) => {
    const resume = await checkpointFile(path).load();
    const { training } = await fit(fuzzRows(), { ...RUNS[name], engine, resume });
    expect(Number.isFinite(training.loss), `a loss ${training.loss}`);
  });
}

async function packed({ name, bytes }: Case): Promise<void> {
  const { n, V, bits } = decompressRows(bytes, name);
  expect(bits.length === n * Math.ceil(V / 8), `${bits.length} bytes for ${n} rows of ${V} bits`);
  breakdown(bytes, name);
}

async function codes({ name, bytes }: Case): Promise<void> {
  await asFile(name, bytes, async (path) => {
    const { codes } = await openPackedCodes(path, { order: 'msb' });
    expect(codes.bytes.length === codes.n * Math.ceil(codes.H / 8), `${codes.bytes.length} bytes of codes`);
  });
}

async function asFile(name: string, bytes: Uint8Array, use: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pcae-fuzz-'));
  try {
    const path = join(folder, name);
    await writeFile(path, bytes);
    await use(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

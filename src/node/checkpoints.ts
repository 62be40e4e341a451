import { access, unlink } from 'node:fs/promises';
import * as z from 'zod/mini';
import { crc32 } from '../formats/crc32.ts';
import { writeAtomic } from '../formats/node/atomic.ts';
import { readSafetensors, type Safetensors, type Tensor, writeSafetensors } from '../formats/safetensors.ts';
import { badFile } from '../rows/errors.ts';
import { checkpointProgress } from '../training/checkpoint/check.ts';
import type { Checkpoint, CheckpointSink } from '../training/checkpoint/checkpoint.ts';
import { differencesOf, OtherRunError } from '../training/checkpoint/other-run.ts';
import { readBytes } from './read-bytes.ts';

/**
 * Checkpoints in one file. Each replaces the one before by an atomic rename: whenever the process is killed,
 * the file holds the last complete one. A checksum over everything tells a damaged file from a good one.
 *
 * `about` says which run the checkpoint belongs to (data, options), in plain text; a checkpoint of another
 * run is refused when it is loaded.
 */
export function checkpointFile(path: string, about = ''): CheckpointFile {
  return {
    path,
    save: (checkpoint) => writeAtomic(path, [write(checkpoint, about)], { force: true }),
    load: () => load(path, about),
    remove: () => unlink(path).catch(() => undefined),
  };
}

export interface CheckpointFile extends Pick<CheckpointSink, 'save'> {
  readonly path: string;
  /** The last checkpoint, or undefined when there is none. */
  load(): Promise<Checkpoint | undefined>;
  remove(): Promise<void>;
}

function write({ arrays, progress }: Checkpoint, about: string): Uint8Array {
  const tensors: [string, Tensor][] = [];
  for (const [name, data] of Object.entries(arrays)) {
    if (!data) continue;
    const type = data instanceof Float32Array ? 'F32' : 'F64';
    tensors.push([name, { type, shape: [data.length], data }]);
  }
  const text = JSON.stringify({ version: 2, about, progress });
  return writeSafetensors(tensors, { 'pc-ae-checkpoint': text, crc32: String(checksum(text, tensors)) });
}

async function load(path: string, about: string): Promise<Checkpoint | undefined> {
  const found = await access(path).then(
    () => true,
    () => false,
  );
  if (!found) return undefined;
  const refuse = (what: string): never => {
    throw badFile(path, `${what}. Remove it to start over.`);
  };
  // A file that cannot be read may be whole: only one whose bytes are wrong is to be removed.
  const bytes = await readBytes(path);
  const { tensors, metadata } = tensorsOf(bytes, path) ?? refuse('is damaged or not a checkpoint');
  const text = metadata['pc-ae-checkpoint'] ?? refuse('is not a checkpoint');
  if (checksum(text, [...tensors]) !== Number(metadata.crc32)) {
    refuse('is damaged: its checksum does not fit');
  }
  const stored = header.safeParse(parsed(text));
  if (!stored.success) return refuse('is of another version of this program');
  if (stored.data.about !== about) {
    throw new OtherRunError(path, differencesOf(stored.data.about, about));
  }
  const arrays = Object.fromEntries(
    [...tensors].map(([name, { data }]) => [name, data as Float32Array | Float64Array]),
  );
  return { arrays, progress: stored.data.progress };
}

/** What the text says; nothing where it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function tensorsOf(bytes: Uint8Array, path: string): Safetensors | undefined {
  try {
    return readSafetensors(bytes, path);
  } catch {
    return undefined;
  }
}

const header = z.object({ version: z.literal(2), about: z.string(), progress: checkpointProgress });

/** CRC-32 over the text, and the name and numbers of each tensor. */
function checksum(text: string, tensors: readonly (readonly [string, Tensor])[]): number {
  const encoder = new TextEncoder();
  let sum = crc32(encoder.encode(text));
  for (const [name, { data }] of [...tensors].sort(([a], [b]) => (a < b ? -1 : 1))) {
    sum = crc32(encoder.encode(name), sum);
    sum = crc32(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), sum);
  }
  return sum;
}

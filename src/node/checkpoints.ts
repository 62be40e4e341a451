import { access, unlink } from 'node:fs/promises';
import { z } from 'zod';
import { crc32 } from '../formats/crc32.ts';
import { writeAtomic } from '../formats/node/atomic.ts';
import { readSafetensors, type Tensor, writeSafetensors } from '../formats/safetensors.ts';
import { FormatError } from '../rows/errors.ts';
import type { Checkpoint, CheckpointProgress, CheckpointSink } from '../training/checkpoint.ts';
import { readBytes } from './read-bytes.ts';

/**
 * Checkpoints in one file. Each replaces the one before by an atomic rename: whenever the process is killed, the
 * file holds the last complete one. A checksum over everything tells a damaged file from a good one.
 *
 * `about` says which run the checkpoint belongs to (data, options), in plain text; a checkpoint of another run is
 * refused when it is loaded.
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

const ARRAYS = ['W', 'E', 'first', 'second', 'inverseHessian', 'bestW'] as const;

function write(checkpoint: Checkpoint, about: string): Uint8Array {
  const tensors: [string, Tensor][] = [];
  for (const key of ARRAYS) {
    const data = checkpoint[key];
    if (data) tensors.push([key, { type: 'F32', shape: [data.length], data }]);
  }
  const { curvature, progress } = checkpoint;
  tensors.push(['curvature', { type: 'F64', shape: [curvature.length], data: curvature }]);
  const text = JSON.stringify({ version: 1, about, progress });
  return writeSafetensors(tensors, { 'pc-ae-checkpoint': text, crc32: String(checksum(text, tensors)) });
}

async function load(path: string, about: string): Promise<Checkpoint | undefined> {
  const found = await access(path).then(
    () => true,
    () => false,
  );
  if (!found) return undefined;
  const { tensors, metadata } = readSafetensors(await readBytes(path), path);
  const text = metadata['pc-ae-checkpoint'];
  if (text === undefined) throw new FormatError(path, '', 'is not a checkpoint');
  if (checksum(text, [...tensors]) !== Number(metadata.crc32)) {
    throw new FormatError(path, '', 'is damaged: its checksum does not fit. Remove it to start afresh.');
  }
  const stored = header.parse(JSON.parse(text));
  if (stored.about !== about) {
    throw new FormatError(
      path,
      '',
      `belongs to another run.\n  checkpoint: ${stored.about}\n  this run:   ${about}\n` +
        'Use the same data and options as before, or remove the file to start afresh.',
    );
  }
  const array = (key: string): Float32Array => {
    const data = tensors.get(key)?.data;
    if (data instanceof Float32Array) return data;
    throw new FormatError(path, `tensor '${key}'`, 'is missing');
  };
  const curvature = tensors.get('curvature')?.data;
  if (!(curvature instanceof Float64Array)) throw new FormatError(path, "tensor 'curvature'", 'is missing');
  return {
    W: array('W'),
    E: array('E'),
    first: array('first'),
    second: array('second'),
    inverseHessian: array('inverseHessian'),
    curvature,
    bestW: tensors.has('bestW') ? array('bestW') : undefined,
    progress: stored.progress,
  };
}

/** The checksum has proven that we wrote it: the progress is ours, only the version is left to look at. */
const header = z.object({
  version: z.literal(1),
  about: z.string(),
  progress: z.custom<CheckpointProgress>((value) => typeof value === 'object' && value !== null),
});

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

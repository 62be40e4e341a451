import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from '../formats/crc32.ts';
import { atomicFile, removeLeftovers, writeAtomic } from '../formats/node/atomic.ts';
import { explained } from '../formats/node/file.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import {
  type Commit,
  commitBytes,
  HEAD,
  headBytes,
  placeOf,
  RECORD,
  type RecordHead,
  readHead,
  readStartBytes,
  START,
  startBytes,
} from '../search/index-format.ts';
import { lockFile } from './lock.ts';

/** A record and where its payload is. */
interface Placed extends RecordHead {
  readonly at: number;
}

export interface NewRecord {
  readonly kind: number;
  readonly count: number;
  readonly payload: Uint8Array;
}

/** The records of an index on the disk: read where they are needed, added behind the others. */
export class IndexFile {
  readonly path: string;
  #file: FileHandle;
  #commit: Commit;
  #records: Placed[];

  private constructor(path: string, file: FileHandle, commit: Commit, records: Placed[]) {
    this.path = path;
    this.#file = file;
    this.#commit = commit;
    this.#records = records;
  }

  static async open(path: string): Promise<IndexFile> {
    const file = await explained(path, open(path, 'r'));
    try {
      return new IndexFile(path, file, ...(await contents(file, path)));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * Writes a whole file, which appears at once. It is refused before its records are made, and a process that
   * is killed while they are leaves nothing behind.
   */
  static async write(
    path: string,
    records: () => Promise<Iterable<NewRecord>>,
    force: boolean,
  ): Promise<void> {
    await (await atomicFile(path, { force })).abort();
    const made = await records();
    await locked(path, () => writeWhole(path, made, force));
  }

  get records(): readonly Placed[] {
    return this.#records;
  }

  /** Bytes of the file that count. */
  get size(): number {
    return this.#commit.end;
  }

  async payload({ at, size, crc }: Placed): Promise<Uint8Array> {
    const bytes = await readAt(this.#file, at, size, this.path);
    if (crc32(bytes) !== crc) throw new FormatError(this.path, `byte ${at}`, 'a record is damaged');
    return bytes;
  }

  /**
   * Adds records: they last, and then a commit that names them does, or nothing has changed. For whoever is
   * `locked` and has read the file again since.
   */
  async append(records: readonly NewRecord[]): Promise<void> {
    const file = await explained(this.path, open(this.path, 'r+'));
    try {
      let { end } = this.#commit;
      for (const part of records.flatMap(partsOf)) {
        await file.write(part, 0, part.length, end);
        end += part.length;
      }
      await file.sync();
      const commit = { number: this.#commit.number + 1, end };
      const bytes = commitBytes(commit);
      await file.write(bytes, 0, bytes.length, placeOf(commit));
      await file.sync();
    } finally {
      await file.close();
    }
    await this.reread();
  }

  /** Puts other records in the place of all; the file changes at once. For whoever is `locked`. */
  async replace(records: Iterable<NewRecord>): Promise<void> {
    await writeWhole(this.path, records, true);
    await this.reread();
  }

  /** Looks at the file again, which may be another one by now. */
  async reread(): Promise<void> {
    const file = await explained(this.path, open(this.path, 'r'));
    await this.#file.close();
    this.#file = file;
    [this.#commit, this.#records] = await contents(file, this.path);
  }

  /** Does something while no other process writes the file. */
  locked<T>(work: () => Promise<T>): Promise<T> {
    return locked(this.path, work);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

async function locked<T>(path: string, work: () => Promise<T>): Promise<T> {
  const release = await lockFile(path, () => removeLeftovers(path));
  try {
    return await work();
  } finally {
    await release();
  }
}

function writeWhole(path: string, records: Iterable<NewRecord>, force: boolean): Promise<void> {
  const parts = [...records].flatMap(partsOf);
  const end = parts.reduce((sum, part) => sum + part.length, START);
  return writeAtomic(path, [startBytes(end), ...parts], { force });
}

function partsOf({ kind, count, payload }: NewRecord): Uint8Array[] {
  return [headBytes({ kind, count, size: payload.length, crc: crc32(payload) }), payload];
}

/** The start of the file and the heads of its records. */
async function contents(file: FileHandle, path: string): Promise<[Commit, Placed[]]> {
  const { size } = await file.stat();
  const commit = readStartBytes(await readAt(file, 0, Math.min(size, START), path), path);
  if (commit.end > size) throw badFile(path, 'is shorter than it should be');
  const records: Placed[] = [];
  for (let at = START; at < commit.end; ) {
    const head = readHead(await readAt(file, at, HEAD, path), path, at);
    records.push({ ...head, at: at + HEAD });
    at += HEAD + head.size;
  }
  if (records[0]?.kind !== RECORD.model) throw badFile(path, 'holds no model');
  return [commit, records];
}

async function readAt(file: FileHandle, at: number, size: number, path: string): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  for (let done = 0; done < size; ) {
    const { bytesRead } = await explained(path, file.read(bytes, done, size - done, at + done));
    if (bytesRead === 0) throw new FormatError(path, `byte ${at + done}`, 'the file ends within a record');
    done += bytesRead;
  }
  return bytes;
}

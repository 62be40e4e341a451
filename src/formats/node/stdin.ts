import { randomBytes } from 'node:crypto';
import { closeSync, openSync, read, unlinkSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { badFile, FormatError } from '../../rows/errors.ts';
import type { ByteSource } from '../bytes.ts';
import { explained } from './file.ts';

const NAME = 'standard input';
const PIECE = 2 ** 20;

/**
 * Standard input, kept in a temporary file so that it can be read more than once. The file loses its name as
 * soon as it is open: whatever ends the process, nothing of it is left.
 */
export async function stdinBytes(
  options: { readonly input?: AsyncIterable<Uint8Array>; readonly signal?: AbortSignal } = {},
): Promise<ByteSource> {
  const { input = process.stdin, signal } = options;
  const file = namelessFile();
  const stop = () => {
    // A stream that waits for its next piece has to be woken.
    if ('destroy' in input && typeof input.destroy === 'function') input.destroy(signal?.reason);
  };
  signal?.addEventListener('abort', stop, { once: true });
  let size = 0;
  try {
    for await (const piece of input) {
      signal?.throwIfAborted();
      for (let at = 0; at < piece.length; ) {
        const part = promisify(write)(file, piece, at, piece.length - at, size);
        const { bytesWritten } = await explained(NAME, part);
        at += bytesWritten;
        size += bytesWritten;
      }
    }
  } catch (error) {
    closeSync(file);
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  return {
    name: NAME,
    size,
    exact: true,
    async *stream(start = 0, end = size) {
      for (let at = start; at < Math.min(end, size); ) {
        const piece = new Uint8Array(Math.min(PIECE, end - at, size - at));
        const { bytesRead } = await explained(NAME, promisify(read)(file, piece, 0, piece.length, at));
        if (bytesRead === 0) throw new FormatError(NAME, `byte ${at}`, 'its temporary file was cut off');
        yield piece.subarray(0, bytesRead);
        at += bytesRead;
      }
    },
  };
}

/** An open file in the folder for temporary files, without a name. */
function namelessFile(): number {
  const folder = tmpdir();
  const path = join(folder, `pcae-stdin-${randomBytes(6).toString('hex')}`);
  try {
    const file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return file;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const why = REASONS[code] ?? message;
    throw badFile(
      NAME,
      `is kept in a temporary file while it is read, and ${folder} ${why}: set TMPDIR to a folder for such files`,
      error,
    );
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a folder',
  EACCES: 'may not be written to',
  EROFS: 'may not be written to',
  ENOSPC: 'is full',
};

import { open, stat } from 'node:fs/promises';
import { badFile, FormatError } from '../../rows/errors.ts';
import type { ByteSource } from '../bytes.ts';

const PIECE = 2 ** 20;

/** A file of the file system. It is opened for each reading and closed when the reading stops. */
export async function fileBytes(path: string): Promise<ByteSource> {
  const { size } = await explained(path, stat(path));
  return {
    name: path,
    size,
    exact: true,
    beside: (ending) => fileBytes(path.replace(/(\.[^./\\]*)?$/, `.${ending}`)),
    hdf5: async (reading) => (await import('./hdf5.ts')).hdf5File(path, reading),
    async *stream(start = 0, end = size) {
      const file = await explained(path, open(path, 'r'));
      try {
        for (let at = start; at < Math.min(end, size); ) {
          const piece = new Uint8Array(Math.min(PIECE, end - at, size - at));
          const { bytesRead } = await explained(path, file.read(piece, 0, piece.length, at));
          if (bytesRead === 0)
            throw new FormatError(path, `byte ${at}`, 'the file became shorter while it was read');
          yield piece.subarray(0, bytesRead);
          at += bytesRead;
        }
      } finally {
        await file.close();
      }
    },
  };
}

const READING: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'reading it is not allowed',
  EISDIR: 'is a folder, not a file',
  EIO: 'the disk could not read it',
};

/** Waits for a file operation; what the system says when it fails is said for people. */
export async function explained<T>(
  path: string,
  operation: Promise<T>,
  reasons = READING,
  failed = '',
): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw badFile(path, `${failed}${reasons[code] ?? message}`, error);
  }
}

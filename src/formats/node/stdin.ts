import { randomBytes } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ByteSource } from '../bytes.ts';
import { explained, fileBytes } from './file.ts';

/**
 * Standard input, kept in a temporary file so that it can be read more than once. The file is removed when the
 * process ends.
 */
export async function stdinBytes(input: AsyncIterable<Uint8Array> = process.stdin): Promise<ByteSource> {
  const path = join(tmpdir(), `pcae-stdin-${randomBytes(6).toString('hex')}`);
  const file = await explained(path, open(path, 'wx', 0o600));
  process.once('exit', () => {
    try {
      unlinkSync(path);
    } catch {
      // Somebody else has removed it: nothing is left to do.
    }
  });
  try {
    for await (const piece of input) await explained(path, file.writeFile(piece));
  } finally {
    await file.close();
  }
  return { ...(await fileBytes(path)), name: 'standard input' };
}

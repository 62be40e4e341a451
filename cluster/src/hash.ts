import { createHash } from 'node:crypto';

/** SHA-256 in hexadecimal: the name of everything that machines hand to each other. */
export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

import { type ByteSource, partOf } from './bytes.ts';

/**
 * The content of a gzip file (several members one after the other included, as bgzip writes them), unpacked
 * while it is read. Its size is not known before its end, only bounded; the checksums are checked on the way.
 *
 * The platform's DecompressionStream is not used: by its specification it refuses a second member.
 */
export function gunzip(source: ByteSource): ByteSource {
  return {
    name: source.name,
    size: source.size * MOST_PER_BYTE,
    exact: false,
    async *stream(start, end) {
      const { unpacked } = await import('./gzip-members.ts');
      yield* partOf(unpacked(source), start, end);
    },
  };
}

/** No byte of a gzip file stands for more than 1032 bytes: the limit of the deflate format. */
const MOST_PER_BYTE = 1032;

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Duplex, Readable, type Writable } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import type { RowSource } from '../../rows/source.ts';

/** What compressors for everything make of the same packed rows, each at its strongest: name -> bytes. */
export async function otherSizes(source: RowSource): Promise<Record<string, number>> {
  const gzip = createGzip({ level: 9 });
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants;
  const brotli = createBrotliCompress({ params: { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGWIN]: 24 } });
  const sizes = await Promise.all([
    compressedSize(source, 'gzip -9', gzip, gzip),
    compressedSize(source, 'brotli -q 11', brotli, brotli),
    programSize(source, 'zstd', ['--ultra', '-22', '-c']),
    programSize(source, 'xz', ['-9e', '-c']),
  ]);
  return Object.fromEntries(sizes.filter((size) => size !== undefined));
}

type Size = readonly [name: string, bytes: number];

/** Undefined where the program is not installed, or fails. */
async function programSize(source: RowSource, program: string, args: string[]): Promise<Size | undefined> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'close');
  try {
    const size = await compressedSize(
      source,
      [program, ...args.slice(0, -1)].join(' '),
      child.stdin,
      child.stdout,
    );
    const [code] = await ended;
    return code === 0 ? size : undefined;
  } catch {
    await ended.catch(() => undefined);
    return undefined;
  }
}

async function compressedSize(
  source: RowSource,
  name: string,
  into: Writable | Duplex,
  out: Readable | Duplex,
): Promise<Size> {
  let bytes = 0;
  out.on('data', (piece: Uint8Array) => {
    bytes += piece.length;
  });
  const ended = once(out, 'end');
  Readable.from(packedBytes(source)).pipe(into);
  await Promise.race([ended, once(into, 'error').then(([error]) => Promise.reject(error))]);
  return [name, bytes];
}

async function* packedBytes(source: RowSource): AsyncGenerator<Uint8Array> {
  for await (const rows of source.chunks(4096)) if (rows.kind === 'bits') yield rows.bits.slice();
}

import { counted } from '../rows/counted.ts';
import { FormatError } from '../rows/errors.ts';
import { PackedNames } from '../rows/names.ts';
import { type Rows, rowBytes } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import type { ByteSource } from './bytes.ts';
import { lineBlocks } from './lines.ts';
import { finish } from './numbers.ts';
import { checkShape, chunkRows, MAX_COLUMNS, type OpenedSource, type OpenOptions } from './options.ts';

/**
 * FPS, the text format of chemical fingerprints: header lines `#key=value`, then a line for each molecule
 * with the bits in hexadecimal, a tab and its name. Bit v is bit v mod 8, least significant first, of byte
 * floor(v/8).
 */
export async function openFps(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  const { name } = bytes;
  let V = 0;
  const ids = new PackedNames();
  for await (const record of fpsRecords(bytes, options)) {
    if ('numBits' in record) V = record.numBits;
    else {
      V ||= record.hex.length * 4;
      checkHex(name, record, V);
      ids.push(record.id);
    }
  }
  checkShape(name, ids.length, V);
  const source: RowSource = {
    n: ids.length,
    V,
    ids,
    chunks: (size) => readRows(bytes, options, V, chunkRows(size, V)),
  };
  const reading = { values: 'bits', binarize: 'none', seed: 0, exact: true } as const;
  return finish(source, { name, format: 'fps', reading, values: 'bits' }, options);
}

interface Fingerprint {
  readonly line: number;
  readonly hex: string;
  readonly id: string;
}

async function* fpsRecords(
  bytes: ByteSource,
  options: OpenOptions,
): AsyncGenerator<Fingerprint | { numBits: number }> {
  let line = 0;
  let first = true;
  for await (const lines of lineBlocks(bytes, options)) {
    for (const text of lines) {
      line++;
      if (text.startsWith('#')) {
        const numBits = Number(/^#num_bits=(\d+)/.exec(text)?.[1] ?? 0);
        if (numBits > MAX_COLUMNS)
          throw new FormatError(
            bytes.name,
            `line ${line}`,
            `claims ${counted(numBits, 'bit')} per fingerprint`,
          );
        if (numBits && first) yield { numBits };
      } else if (text !== '') {
        first = false;
        const [hex, id = ''] = text.split('\t', 2);
        yield { line, hex, id };
      }
    }
  }
}

function checkHex(name: string, { hex, line }: Fingerprint, V: number): void {
  const digits = 2 * rowBytes(V);
  if (hex.length === digits && /^[\da-fA-F]+$/.test(hex)) return;
  throw new FormatError(
    name,
    `line ${line}`,
    `found '${hex.slice(0, 20)}…', expected ${digits} hexadecimal digits (${V} bits)`,
  );
}

async function* readRows(
  bytes: ByteSource,
  options: OpenOptions,
  V: number,
  size: number,
): AsyncGenerator<Rows> {
  const stride = rowBytes(V);
  const spare = V & 7 ? (1 << (V & 7)) - 1 : 255;
  let bits = new Uint8Array(size * stride);
  let n = 0;
  for await (const record of fpsRecords(bytes, options)) {
    if ('numBits' in record) continue;
    checkHex(bytes.name, record, V);
    for (let k = 0; k < stride; k++)
      bits[n * stride + k] = Number.parseInt(record.hex.slice(2 * k, 2 * k + 2), 16);
    bits[(n + 1) * stride - 1] &= spare;
    n++;
    if (n < size) continue;
    yield { kind: 'bits', n, V, bits };
    bits = new Uint8Array(size * stride);
    n = 0;
  }
  if (n > 0) yield { kind: 'bits', n, V, bits: bits.subarray(0, n * stride) };
}

import { Option } from 'commander';
import type { BitOrder, PackedCodes } from '../bits/pack.ts';
import { type ByteSource, readRange, readStart } from '../formats/bytes.ts';
import { fileBytes } from '../formats/node/file.ts';
import { openSource } from '../formats/node/open.ts';
import { npyHeader } from '../formats/npy.ts';
import type { OpenedSource, OpenOptions } from '../formats/options.ts';
import { startsLike } from '../formats/recognise.ts';
import { badFile, type FormatError, UnclearValues } from '../rows/errors.ts';
import { collect } from '../rows/memory.ts';
import type { NameList } from '../rows/names.ts';
import { rowBytes } from '../rows/rows.ts';

interface PackedFile {
  readonly codes: PackedCodes;
  /** Names of the codes, where the file has them. */
  readonly ids?: NameList;
  /** The file holds whole bytes and does not say how many bits at the end of a code are spare. */
  readonly inBytes?: boolean;
}

export interface PackedOptions {
  /** What the entries stand for, where the file does not tell. */
  readonly values?: OpenOptions['values'];
  /** Where the first bit of a byte is in an NPY file of bytes. */
  readonly order: BitOrder;
}

export const orderOption = () =>
  new Option('--order <which>', 'first bit of a byte in .npy files: most (msb) or least (lsb) significant')
    .choices(['msb', 'lsb'])
    .default('msb');

/** Codes of bits: an NPY file of bytes with eight bits in each, or rows of bits in any format. */
export async function openPackedCodes(path: string, options: PackedOptions): Promise<PackedFile> {
  const { values, order } = options;
  const packed = values === undefined && path !== '-' ? await packedNpy(path, order) : undefined;
  if (packed) return { codes: packed, inBytes: true };
  const source = await bitsOnly(path, openSource(path, { values }));
  const rows = await collect(source);
  if (rows.kind === 'real') {
    throw noBits(path);
  }
  if (rows.known) throw badFile(path, 'has missing entries; the bits of a code must all be known');
  const codes: PackedCodes = { n: rows.n, H: rows.V, order: 'lsb', bytes: rows.bits };
  return { codes, ids: source.ids, inBytes: source.schema.values === 'packed' };
}

/** The codes cut to H bits, if their file does not say which bits are spare and those would be 0. */
export function withoutSpareBits({ codes, inBytes }: PackedFile, H: number): PackedCodes {
  const stride = rowBytes(codes.H);
  if (!inBytes || H >= codes.H || rowBytes(H) !== stride) return codes;
  const spare = codes.order === 'msb' ? 0xff >> (H & 7) : 0xff << (H & 7);
  for (let last = stride - 1; last < codes.bytes.length; last += stride) {
    if ((codes.bytes[last] & spare) !== 0) return codes;
  }
  return { ...codes, H };
}

/** Opens rows that must be bits, and refuses numbers that could be anything else. */
function bitsOnly(path: string, opening: Promise<OpenedSource>): Promise<OpenedSource> {
  return opening.catch((error: unknown) => {
    throw error instanceof UnclearValues ? noBits(path) : error;
  });
}

export function noBits(path: string): FormatError {
  return badFile(
    path,
    'holds numbers that are not codes of bits; expected 0 and 1, -1 and 1, or bytes of eight bits each, as encode ' +
      'writes them for a model learned with --encoding bits',
  );
}

/** The bytes of an NPY file; undefined if it is not a table of bytes. */
async function packedNpy(path: string, order: BitOrder): Promise<PackedCodes | undefined> {
  // Errors are ignored here: the file is opened again as rows, which reports them.
  const bytes: ByteSource | undefined = await fileBytes(path).catch(() => undefined);
  if (!bytes || !startsLike('npy', await readStart(bytes, 6))) return undefined;
  const { descr, fortran, shape, offset } = await npyHeader(bytes);
  if (descr !== '|u1' || fortran || shape.length !== 2) return undefined;
  const [n, width] = shape;
  return { n, H: 8 * width, order, bytes: await readRange(bytes, offset, offset + n * width, 'its codes') };
}

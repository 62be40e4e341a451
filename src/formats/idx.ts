import { badFile, FormatError } from '../rows/errors.ts';
import { type ByteSource, readStart } from './bytes.ts';
import { denseTable } from './dense.ts';
import type { ElementType } from './elements.ts';
import { type NumberTable, openNumbers } from './numbers.ts';
import type { OpenedSource, OpenOptions } from './options.ts';
import { startsLike } from './recognise.ts';

/**
 * IDX, the format of MNIST: two zero bytes, a type, the number of dimensions, the dimensions as big-endian
 * 32-bit numbers, then the elements. The first dimension counts the rows.
 */
export async function openIdx(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  return openNumbers(await idxTable(bytes), options);
}

const TYPES: Record<number, ElementType> = { 8: 'u1', 9: 'i1', 11: 'i2', 12: 'i4', 13: 'f4', 14: 'f8' };

async function idxTable(bytes: ByteSource): Promise<NumberTable> {
  const { name } = bytes;
  const start = await readStart(bytes, 4 + 4 * 8);
  if (!startsLike('idx', start))
    throw new FormatError(name, 'byte 0', 'this is not an IDX file: its first bytes are not a known type');
  const type = TYPES[start[2]];
  const dimensions = start[3];
  const offset = 4 + 4 * dimensions;
  if (start.length < offset)
    throw new FormatError(name, `byte ${start.length}`, 'the file ends within its header');
  const view = new DataView(start.buffer, start.byteOffset);
  const shape = Array.from({ length: dimensions }, (_, d) => view.getUint32(4 + 4 * d));
  if (dimensions === 1) throw badFile(name, 'holds one number per row: these are labels, not rows of bits');
  return denseTable(bytes, 'idx', {
    shape,
    offset,
    element: type,
    littleEndian: false,
    type: type === 'u1' ? 'image' : 'number',
  });
}

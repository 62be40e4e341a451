import { counted } from '../rows/counted.ts';
import { badFile } from '../rows/errors.ts';
import { ByteReader, type ByteSource } from './bytes.ts';
import { decodeElements, type ElementType, elementBytes } from './elements.ts';
import type { NumberTable } from './numbers.ts';
import { checkShape } from './options.ts';

/** Where and how a dense array lies in a file, row after row. */
interface DenseLayout {
  /** The first dimension counts the rows; the others make one row. */
  readonly shape: readonly number[];
  readonly offset: number;
  readonly element: ElementType;
  readonly littleEndian: boolean;
  readonly type: NumberTable['type'];
}

/** A dense array as a table: the common part of IDX and NPY. Reads one chunk at a time. */
export function denseTable(
  bytes: ByteSource,
  format: NumberTable['format'],
  layout: DenseLayout,
): NumberTable {
  const { name } = bytes;
  const { shape, offset, element, littleEndian, type } = layout;
  const n = shape[0];
  const V = shape.slice(1).reduce((a, b) => a * b, 1);
  checkShape(name, n, V);
  const rowSize = V * elementBytes(element);
  const found = bytes.size - offset;
  if (n * rowSize > found) {
    const most = bytes.exact ? '' : 'at most ';
    throw badFile(
      name,
      `claims ${n} x ${V} numbers (${counted(n * rowSize, 'byte')}) but holds ${most}${counted(found, 'byte')}`,
    );
  }
  const picture = shape.length === 3 || (shape.length === 4 && shape[3] === 1);
  return {
    name,
    format,
    n,
    V,
    type,
    image: picture ? { height: shape[1], width: shape[2] } : undefined,
    async *chunks(size) {
      const reader = new ByteReader(bytes, offset);
      try {
        for (let row = 0; row < n; row += size) {
          const end = Math.min(n, row + size);
          const raw = await reader.take((end - row) * rowSize, `row ${end} of ${n}`);
          yield decodeElements(raw, element, littleEndian);
        }
      } finally {
        await reader.close();
      }
    },
  };
}

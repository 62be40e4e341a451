import { decompressBlocks } from '../compress/decompress.ts';
import { isCompressed, readHeader } from '../compress/format.ts';
import { readStart } from '../formats/bytes.ts';
import { fileBytes } from '../formats/node/file.ts';
import type { OpenedSource } from '../formats/options.ts';
import { readBytes } from '../node/read-bytes.ts';
import { sliceRows } from '../rows/rows.ts';
import { selectColumns, selectRows } from '../rows/select.ts';
import type { RowSource } from '../rows/source.ts';
import type { DataOptions } from './data.ts';

/** Rows from a file of any format, or from a compressed one. */
export type ReadRows = Omit<OpenedSource, 'format'> & { readonly format: string };

/**
 * The rows of a file that `compress` wrote, bit for bit: checksums prove it. Undefined where a file is
 * something else.
 */
export async function openCompressed(path: string, options: DataOptions): Promise<ReadRows | undefined> {
  // Errors are ignored here: the file is opened again as another format, which reports them.
  const file = path === '-' ? undefined : await fileBytes(path).catch(() => undefined);
  if (!file || !isCompressed(await readStart(file, 8))) return undefined;
  const bytes = await readBytes(path);
  const { n, model } = readHeader(bytes, path);
  let source: RowSource = {
    n,
    V: model.V,
    async *chunks(size) {
      for (const block of decompressBlocks(bytes, path)) {
        for (let i = 0; i < block.n; i += size) yield sliceRows(block, i, Math.min(block.n, i + size));
      }
    },
  };
  if (options.columns !== undefined) source = selectColumns(source, options.columns);
  if (options.rows !== undefined) source = selectRows(source, options.rows);
  const schema = { values: 'bits', binarize: 'none', seed: 0, kind: 'bits' } as const;
  return { ...source, name: path, format: 'pcz', schema };
}

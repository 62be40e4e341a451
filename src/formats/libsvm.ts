import { counted } from '../rows/counted.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import { SparseBuilder } from '../rows/sparse.ts';
import type { ByteSource } from './bytes.ts';
import { lineBlocks } from './lines.ts';
import type { OpenedSource, OpenOptions } from './options.ts';
import { checkShape, checkSparseColumns, MAX_COLUMNS, MEMORY_LIMIT } from './options.ts';
import { openSparse } from './sparse.ts';

/**
 * libsvm (svmlight): a line for each row, `label index:value index:value ... # comment`. The label is left
 * out of the rows. Indices start at 1, unless an index 0 occurs anywhere: then they start at 0.
 */
export async function openLibsvm(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  const { name } = bytes;
  const builder = new SparseBuilder(name, options.maxBytes ?? MEMORY_LIMIT);
  let row = 0;
  let line = 0;
  let least = 1;
  let most = 0;
  for await (const lines of lineBlocks(bytes, options)) {
    for (const text of lines) {
      line++;
      const content = text.split('#', 1)[0].trim();
      if (content === '') continue;
      // A line may lack the label; a token `qid:7` belongs to ranking data and is no entry.
      let first = true;
      for (const [token] of content.matchAll(/\S+/g)) {
        const label = first && !token.includes(':');
        first = false;
        if (label || token.startsWith('qid:')) continue;
        const { index, value } = parseEntry(name, line, token);
        least = Math.min(least, index);
        most = Math.max(most, index);
        builder.add(row, index, value);
      }
      row++;
    }
  }
  const width = most + 1 - least;
  const V = options.width ?? width;
  checkShape(name, row, V);
  if (options.width === undefined) checkSparseColumns(name, V, bytes.size);
  if (width > V)
    throw badFile(name, `has ${counted(width, 'column')}, more than the ${V} that were announced`);
  const rows = builder.build(row, V, (index) => index - least);
  return openSparse({ name, format: 'libsvm', rows }, options);
}

function parseEntry(name: string, line: number, token: string): { index: number; value: number } {
  const colon = token.indexOf(':');
  const index = Number(token.slice(0, colon));
  const value = Number(token.slice(colon + 1));
  const sound =
    colon > 0 && colon < token.length - 1 && Number.isInteger(index) && index >= 0 && Number.isFinite(value);
  if (!sound || index > MAX_COLUMNS) {
    throw new FormatError(
      name,
      `line ${line}`,
      `found '${token.slice(0, 40)}', expected index:value as in 17:1`,
    );
  }
  return { index, value };
}

import { aboutOf, checkAbout } from './about.ts';
import { checkPacked, checkShape } from './check.ts';
import { counted } from './counted.ts';
import { type Rows, sliceRows } from './rows.ts';
import type { RowSource } from './source.ts';

/** Sources that are checked already, because most calls pass theirs on to others. */
const checked = new WeakSet<RowSource>();

/**
 * A source that checks each chunk as it is read, so that errors appear where they arise: its columns, its
 * kind, the size and range of its arrays, and the total number of rows. A chunk that is larger than requested
 * is passed on in pieces.
 */
export function checkedSource(source: RowSource, argument = 'rows'): RowSource {
  if (checked.has(source)) return source;
  const { n, V } = source;
  checkShape(source, argument, 0);
  checkAbout(source, n, V, argument);
  const result: RowSource = {
    ...aboutOf(source),
    n,
    V,
    async *chunks(size) {
      const step = Math.max(1, Math.floor(size));
      let [read, kind]: [number, Rows['kind'] | undefined] = [0, undefined];
      for await (const chunk of source.chunks(step)) {
        const name = `${argument}: the chunk of the source at row ${read}`;
        checkChunk(chunk, source, kind ?? chunk?.kind, name);
        checkPacked(chunk, name, read);
        if (read + chunk.n > n)
          throw new RangeError(`${argument}: the source said ${counted(n, 'row')} and gave more`);
        for (let i = 0; i < chunk.n; i += step) yield sliceRows(chunk, i, Math.min(chunk.n, i + step));
        kind = chunk.kind;
        read += chunk.n;
      }
      if (read < n)
        throw new RangeError(`${argument}: the source said ${counted(n, 'row')} and gave only ${read}`);
    },
  };
  checked.add(result);
  return result;
}

function checkChunk(chunk: Rows, { V }: RowSource, kind: Rows['kind'], name: string): void {
  if (!chunk || typeof chunk !== 'object' || !('kind' in chunk)) {
    throw new TypeError(
      `${name}: expected rows as asRows makes them of arrays and tables, { kind: 'bits', n, V, bits }, got ${typeof chunk}`,
    );
  }
  if (chunk.V !== V) throw new RangeError(`${name} has ${counted(chunk.V, 'column')}; the source said ${V}`);
  if (!Number.isInteger(chunk.n) || chunk.n < 0)
    throw new RangeError(`${name} has ${counted(chunk.n, 'row')}`);
  if (chunk.kind !== kind)
    throw new TypeError(`${name} is of kind '${chunk.kind}'; those before were '${kind}'`);
}

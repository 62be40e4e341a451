import { codesOf, type Place, widthOf } from '../engine.ts';
import type { JobFields } from './job.ts';
import { constants } from './layout.generated.ts';
import { type SparseMatrix, sparseMatrix } from './sparse.ts';
import type { WasmFloats } from './storage.ts';
import type { Tools } from './tools.ts';

/** Bytes of scores and reconstructions that are held at a time. */
const DECODED = 1 << 24;
/** Rows from which on it is looked whether W is sparse. */
const MANY_ROWS = 32;

/** `Engine.decode`. */
export async function decode(tools: Tools, at: Place, what: 'scores' | 'transfer'): Promise<Float32Array> {
  const { memory } = tools;
  const { W, E, shape, loss, offset = 0 } = at;
  const { V } = shape;
  const width = widthOf(shape);
  const range = codesOf(at);
  tools.use(W, 'the numbers of W', V * width);
  const Z = tools.use(E, 'the numbers of E', (offset + range.end) * width) + 4 * offset * width;
  const held = { floats: W as WasmFloats, first: 0, K: V, width };
  const result = new Float32Array((range.end - range.start) * V);
  const rows = Math.max(8, Math.floor(DECODED / (4 * V) / 8) * 8);
  const out = memory.allocate(4 * V * Math.min(rows, range.end - range.start), 'decoded rows');
  let sparse: SparseMatrix | undefined;
  try {
    // Looking for zeros costs about as much as decoding a row.
    const worthwhile = range.end - range.start >= MANY_ROWS;
    if (worthwhile) sparse = sparseMatrix(memory, held.floats.at, V, width);
    const factor = sparse ?? { forward: (await tools.packs.provide(held, 'forward')).forward };
    for (let start = range.start; start < range.end; start += rows) {
      const end = Math.min(range.end, start + rows);
      const own: JobFields = {
        kernel: constants.DECODE,
        K: V,
        V,
        width,
        ...factor,
        start,
        end,
        out,
        Z,
        what: what === 'transfer' ? 1 : 0,
      };
      await tools.panels([tools.losses.fields(loss), own], end - start, (end - start) * V * width);
      result.set(memory.floats(out, (end - start) * V), (start - range.start) * V);
    }
  } finally {
    memory.free(out);
    if (sparse) memory.free(sparse.entries);
  }
  return result;
}

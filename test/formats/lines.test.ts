import { describe, expect, test } from 'vitest';
import { type ByteSource, memoryBytes } from '../../src/formats/bytes.ts';
import { openFps } from '../../src/formats/fps.ts';
import { openLibsvm } from '../../src/formats/libsvm.ts';
import { openMtx } from '../../src/formats/mtx.ts';
import type { OpenedSource, OpenOptions } from '../../src/formats/options.ts';
import { openCsv } from '../../src/formats/table/csv.ts';
import { openJsonl } from '../../src/formats/table/jsonl.ts';

const formats: Record<string, [(bytes: ByteSource, options: OpenOptions) => Promise<OpenedSource>, string]> =
  {
    libsvm: [openLibsvm, '1 1:1 '],
    mtx: [openMtx, '%%MatrixMarket matrix coordinate '],
    fps: [openFps, '0a'],
    csv: [openCsv, 'a,'],
    jsonl: [openJsonl, '{"a":1},'],
  };

/** A line without end, of which only so much may be read as is allowed. */
function endless(text: string, most: number): ByteSource {
  const piece = new TextEncoder().encode(text.repeat(Math.ceil(2 ** 16 / text.length)));
  let read = 0;
  return {
    ...memoryBytes('long', piece),
    async *stream() {
      for (; read <= most + 2 * piece.length; read += piece.length) yield piece;
      throw new Error(`${read} bytes were read`);
    },
  };
}

describe('a line that does not end', () => {
  test.each(Object.entries(formats))('is refused in time: %s', async (_, [open, text]) => {
    const characters = 2 ** 18;
    const options = { maxBytes: 256 * characters };
    await expect(open(endless(text, characters), options)).rejects.toThrow(
      `long: has a line longer than ${characters} characters: it is probably not a table in text; if it is, raise --max-bytes`,
    );
  });
});

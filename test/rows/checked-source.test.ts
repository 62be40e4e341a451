import { describe, expect, it } from 'vitest';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { fit } from '../../src/model/fit.ts';
import { asSource } from '../../src/rows/input.ts';
import { collect } from '../../src/rows/memory.ts';
import { type Rows, sliceRows } from '../../src/rows/rows.ts';
import type { RowSource } from '../../src/rows/source.ts';

const V = 9;
const bits = (n: number, more: object = {}): Rows => ({
  ...{ kind: 'bits', n, V, bits: Uint8Array.from({ length: 2 * n }, (_, k) => k * 37) },
  ...more,
});

/** A source as somebody might write it, whose chunks are these whatever is asked for. */
function source(chunks: readonly unknown[], more: object = {}): RowSource {
  return {
    n: 30,
    V,
    ...more,
    async *chunks() {
      for (const chunk of chunks) yield chunk as Rows;
    },
  };
}

const wrong: readonly (readonly [string, RowSource, string])[] = [
  [
    'another V',
    source([bits(20), { ...bits(10), V: 10 }]),
    'the chunk of the source at row 20 has 10 columns; the source said 9',
  ],
  [
    'too few bytes',
    source([bits(30, { bits: new Uint8Array(59) })]),
    'at row 0.bits: expected 60 entries for 30 rows of 9 columns',
  ],
  ['too few rows', source([bits(20)]), 'the source said 30 rows and gave only 20'],
  ['too many rows', source([bits(20), bits(20)]), 'the source said 30 rows and gave more'],
  [
    'another kind',
    source([bits(20), { kind: 'real', n: 10, V, values: new Float32Array(90) }]),
    "at row 20 is of kind 'real'; those before were 'bits'",
  ],
  [
    'a number out of range',
    source([{ kind: 'real', n: 30, V, values: new Float32Array(270).fill(7, 40, 41) }]),
    'found 7 in row 4, column 4, expected a number in [-1, 1]',
  ],
  ['arrays', source([[[0, 1]]]), 'expected rows as asRows makes them'],
  ['names for other rows', source([bits(30)], { ids: ['a'] }), '1 row names were given for 30 rows'],
  ['no number of rows', source([bits(30)], { n: Number.NaN }), 'rows.n: expected the number of rows'],
];

describe('a source of rows', () => {
  it.each(wrong)('with %s is refused where it arises', async (_, given, message) => {
    const engine = referenceEngine();
    await expect(collect(given)).rejects.toThrow(message);
    for (const codes of ['keep', 'recompute'] as const) {
      await expect(fit(given, { H: 2, epochs: 1, codes, engine })).rejects.toThrow(message);
    }
    const model = await fit(bits(30), { H: 2, epochs: 1, engine });
    await expect(model.encode(given, { engine })).rejects.toThrow(message);
    await expect(model.evaluate(given, { engine })).rejects.toThrow(message);
  });

  it('that can be read only once is noticed', async () => {
    let read = 0;
    const once: RowSource = {
      ...{ n: 30, V },
      async *chunks() {
        if (read++ === 0) yield bits(30);
      },
    };
    const given = asSource(once);
    await collect(given);
    await expect(collect(given)).rejects.toThrow('the source said 30 rows and gave only 0');
  });

  it('may give chunks of any size, none of which reaches anyone larger than asked for', async () => {
    const all = bits(30);
    const given = source([sliceRows(all, 0, 17), sliceRows(all, 17, 17), sliceRows(all, 17, 30)]);
    const sizes: number[] = [];
    for await (const chunk of asSource(given).chunks(8)) sizes.push(chunk.n);
    expect(sizes).toEqual([8, 8, 1, 8, 5]);
    expect(await collect(given)).toEqual(all);
  });

  it('may be an object of a class', async () => {
    class Mine implements RowSource {
      get n() {
        return 30;
      }
      get V() {
        return V;
      }
      async *chunks() {
        yield bits(this.n);
      }
    }
    expect(await collect(asSource(new Mine()))).toEqual(bits(30));
  });
});

import { expect, test } from 'vitest';
import { BitReader, BitWriter } from '../../src/compress/bit-coder.ts';
import { squash } from '../../src/compress/logistic.ts';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import { codeLength, roundedCode } from '../../src/model/code-length.ts';
import { fit } from '../../src/model/fit.ts';
import type { PCAE } from '../../src/model/model.ts';
import { type BitRows, entry } from '../../src/rows/rows.ts';

const engine = await createWasmEngine();
const [n, V] = [400, 24];

/** Three patterns, with one bit in ten flipped. */
const rows: BitRows = (() => {
  const bits = new Uint8Array(n * 3);
  for (let k = 0; k < n * V; k++) {
    const [i, v] = [Math.floor(k / V), k % V];
    const one = (v * ((i % 3) + 1)) % 7 < 3 !== (k * 7919) % 1000 < 100;
    if (one) bits[i * 3 + (v >> 3)] |= 1 << (v & 7);
  }
  return { kind: 'bits', n, V, bits };
})();

/** The probability of a one in 1/65536: the decoder's at a code. */
function probability({ W, H }: PCAE, code: Float64Array, v: number): number {
  let m = W[v * (H + 1) + H];
  for (let h = 0; h < H; h++) m += W[v * (H + 1) + h] * code[h];
  return squash(Math.round(256 * m));
}

test.each(['bits', 'box'] as const)(
  '%s: the length is that of a stream which gives the rows back',
  async (encoding) => {
    const model = await fit(rows, { H: 3, encoding, epochs: 40, engine });
    const { codes } = await model.encode(rows, { engine });
    const length = await codeLength(model, rows, { engine });
    const { nats, bitsPerUnit } = length;
    expect(nats).toBeCloseTo(length.codes + length.rows, 9);
    const last = 2 ** bitsPerUnit - 1;

    const writer = new BitWriter();
    for (let i = 0; i < n; i++) {
      const code = roundedCode(codes.subarray(3 * i, 3 * i + 3), bitsPerUnit);
      for (const e of code) {
        const step = Math.round(((e + 1) / 2) * last);
        for (let k = 0; k < bitsPerUnit; k++) writer.code((step >> k) & 1, 32768);
      }
      for (let v = 0; v < V; v++) writer.code(entry(rows, i, v) > 0 ? 1 : 0, probability(model, code, v));
    }
    const bytes = writer.finish();
    expect(Math.abs(bytes.length * 8 * Math.LN2 - n * nats)).toBeLessThan(0.01 * n * nats);

    const reader = new BitReader(bytes);
    for (let i = 0; i < n; i++) {
      const code = Float64Array.from({ length: 3 }, () => {
        let step = 0;
        for (let k = 0; k < bitsPerUnit; k++) step |= reader.code(0, 32768) << k;
        return (2 * step) / last - 1;
      });
      for (let v = 0; v < V; v++)
        expect(2 * reader.code(0, probability(model, code, v)) - 1).toBe(entry(rows, i, v));
    }
    reader.finish();
  },
);

test('of bits, it is the loss and a bit for each unit; other models are refused', async () => {
  const model = await fit(rows, { H: 3, encoding: 'bits', epochs: 10, engine });
  const { nats } = await codeLength(model, rows, { engine });
  expect(nats).toBeCloseTo((await model.loss(rows, { engine })) + 3 * Math.LN2, 3);
  const real = await fit(rows, { H: 2, encoding: 'real', epochs: 5, engine });
  await expect(codeLength(real, rows, { engine })).rejects.toThrow('codes of this model are real');
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packCodes } from '../../src/bits/pack.ts';
import { compressRows, openCompressor } from '../../src/compress/compress.ts';
import { breakdown, decompressBlocks, decompressRows } from '../../src/compress/decompress.ts';
import { crc32 } from '../../src/formats/crc32.ts';
import { FormatError } from '../../src/rows/errors.ts';
import { type BitRows, entry, rowBytes } from '../../src/rows/rows.ts';
import { holds } from '../property.ts';

/** Numbers in [0, 1) from a seed. */
function numbers(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    state ^= state >>> 13;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Rows drawn from a decoder, with its codes: what compression is made for. */
function drawn(n: number, V: number, H: number, seed: number, strength = 2) {
  const random = numbers(seed);
  const W = Float32Array.from({ length: V * (H + 1) }, () => strength * (random() - 0.5));
  const E = Float32Array.from({ length: n * H }, () => (random() < 0.5 ? -1 : 1));
  const bits = new Uint8Array(n * rowBytes(V));
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++) {
      let m = W[v * (H + 1) + H];
      for (let h = 0; h < H; h++) m += W[v * (H + 1) + h] * E[i * H + h];
      if (random() < 1 / (1 + Math.exp(-m))) bits[i * rowBytes(V) + (v >> 3)] |= 1 << (v & 7);
    }
  }
  const rows: BitRows = { kind: 'bits', n, V, bits };
  return { rows, options: { W, codes: packCodes(E, { n, H }, 'msb'), shape: { V, H, bias: true } } };
}

/** Each bit repeats the one before it nine times in ten, which no code of a few bits can tell. */
function sticky(n: number, V: number): BitRows {
  const random = numbers(6);
  const stride = rowBytes(V);
  const bits = new Uint8Array(n * stride);
  for (let i = 0; i < n; i++) {
    let bit = 0;
    for (let v = 0; v < V; v++) {
      if (v === 0) bit = random() < 0.5 ? 1 : 0;
      else if (random() < 0.1) bit = 1 - bit;
      bits[i * stride + (v >> 3)] |= bit << (v & 7);
    }
  }
  return { kind: 'bits', n, V, bits };
}

describe('compressed rows', () => {
  test('may come as a flat table, as fit takes them', async () => {
    const { rows, options } = drawn(20, 9, 3, 4);
    const data = Uint8Array.from({ length: 20 * 9 }, (_, k) =>
      entry(rows, Math.floor(k / 9), k % 9) > 0 ? 1 : 0,
    );
    expect(await compressRows({ data, n: 20, V: 9 }, options)).toEqual(await compressRows(rows, options));
  });

  test('come back bit for bit, whatever rows, codes and weights', async () => {
    const size = fc.record({
      // 64 rows and more are gone through again on the way.
      n: fc.nat(140),
      V: fc.integer({ min: 1, max: 30 }),
      H: fc.nat(9),
      seed: fc.nat(),
      strength: fc.constantFrom(0, 1, 30, 1e6),
    });
    await holds(
      fc.asyncProperty(size, async ({ n, V, H, seed, strength }) => {
        const { rows, options } = drawn(n, V, H, seed, strength);
        expect(decompressRows(await compressRows(rows))).toEqual(rows);
        const file = await compressRows(rows, options);
        expect(decompressRows(file)).toEqual(rows);
        const { total, model, codes, residual, frame } = breakdown(file);
        expect(model + codes + residual + frame).toBe(total);
        expect(total).toBe(file.length);
      }),
      { seed: 3, numRuns: 60 },
    );
  });

  test('come back in blocks, also without a bias unit and with spare bits set', async () => {
    const { rows, options } = drawn(5000, 9, 3, 4);
    const W = Float32Array.from({ length: 27 }, (_, k) => Math.sin(k));
    const dirty = { ...rows, bits: rows.bits.map((byte, k) => (k & 1 ? byte | 0xf0 : byte)) };
    const file = await compressRows(dirty, { ...options, W, shape: { V: 9, H: 3, bias: false } });
    const blocks = [...decompressBlocks(file)];
    expect(blocks.map((block) => block.n)).toEqual([4096, 904]);
    expect(decompressRows(file)).toEqual(rows);
  });

  test('can be written part by part', async () => {
    const { rows, options } = drawn(30, 9, 3, 4);
    const all = { rows, codes: options.codes };
    const compressor = await openCompressor(30, options, all);
    const block = await compressor.block(rows, options.codes);
    const parts = [compressor.header, block, compressor.finish()];
    expect(parts.flatMap((part) => Array.from(part))).toEqual(Array.from(await compressRows(rows, options)));
    await expect(compressor.block(rows, options.codes)).rejects.toThrow('found 30 in a block');
    const longer = await openCompressor(31, options, all);
    expect(() => longer.finish()).toThrow('0 were written, the header promises 31');
  });

  test('take about the room that the decoder they were drawn from allows', async () => {
    const { rows, options } = drawn(3000, 40, 8, 5, 4);
    const { W } = options;
    let nats = 0;
    const E = drawnCodes(options.codes.bytes, 3000, 8);
    for (let i = 0; i < 3000; i++) {
      for (let v = 0; v < 40; v++) {
        let m = W[v * 9 + 8];
        for (let h = 0; h < 8; h++) m += W[v * 9 + h] * E[i * 8 + h];
        const x = (rows.bits[i * 5 + (v >> 3)] >> (v & 7)) & 1 ? 1 : -1;
        nats += Math.log1p(Math.exp(-x * m));
      }
    }
    const { residual, codes, model } = breakdown(await compressRows(rows, options));
    const ideal = nats / Math.LN2 / 8;
    expect(residual).toBeLessThan(1.02 * ideal);
    expect(residual).toBeGreaterThan(0.97 * ideal);
    expect(codes).toBeLessThan(1.02 * 3000);
    expect(model).toBeLessThan(360);
  });

  test('what the code leaves out, earlier columns tell', async () => {
    const [n, V] = [2000, 32];
    const rows = sticky(n, V);
    const codes = packCodes(new Float32Array(n).fill(1), { n, H: 1 }, 'lsb');
    const shape = { V, H: 1, bias: true };
    const { residual, codes: coded } = breakdown(
      await compressRows(rows, { W: new Float32Array(V * 2), codes, shape }),
    );
    const entropy = -(0.1 * Math.log2(0.1) + 0.9 * Math.log2(0.9));
    expect(residual * 8).toBeLessThan(1.1 * n * (1 + 31 * entropy));
    // Codes that are all the same shrink too.
    expect(coded).toBeLessThan(n / 16);
  });

  test('the file is fixed for ever', async () => {
    const rows = sticky(1500, 20);
    const W = Float32Array.from({ length: 100 }, (_, k) => ((k * 37) % 64) / 64 - 0.5);
    const E = Float32Array.from({ length: 6000 }, (_, k) => ((k * k) % 3 ? 1 : -1));
    const codes = packCodes(E, { n: 1500, H: 4 }, 'lsb');
    const file = await compressRows(rows, { W, codes, shape: { V: 20, H: 4, bias: true } });
    expect([file[28], file.length, crc32(file)]).toMatchInlineSnapshot(`
      [
        0,
        2359,
        3032703121,
      ]
    `);
  });

  test('rows without a decoder take about their entropy, also where no code of a few bits would help', async () => {
    const [n, V] = [4500, 12];
    const file = await compressRows(sticky(n, V));
    expect(breakdown(file)).toMatchObject({ model: 5, codes: 10 });
    expect(decompressRows(file)).toEqual(sticky(n, V));
    const entropy = -(0.1 * Math.log2(0.1) + 0.9 * Math.log2(0.9));
    expect(file.length * 8).toBeLessThan(1.06 * n * (1 + 11 * entropy));
  });

  test('a file of the earlier format is refused by its version', async () => {
    const file = await compressRows(sticky(10, 4));
    file[8] = 1;
    expect(() => decompressRows(file, 'old.pcz')).toThrow(
      'old.pcz, byte 8: version 1 of the format is not read, only 2 is: an earlier version of pc-ae wrote this file',
    );
  });

  test('rows that are no plain bits are refused', async () => {
    const { rows, options } = drawn(2, 5, 2, 8);
    const real = { kind: 'real', n: 2, V: 5, values: new Float32Array(10) } as const;
    await expect(compressRows(real, options)).rejects.toThrow('only bits can be compressed');
    await expect(compressRows({ ...rows, known: Uint8Array.of(31, 23) }, options)).rejects.toThrow(
      'row 2, column 4 is missing',
    );
    await expect(compressRows({ ...rows, V: 6 }, options)).rejects.toThrow('the model has V = 5');
    await expect(compressRows(rows, { ...options, W: new Float32Array(4) })).rejects.toThrow(
      'found 4 numbers, expected 15',
    );
    const W = options.W.slice().fill(Number.NaN, 4, 5);
    await expect(compressRows(rows, { ...options, W })).rejects.toThrow('column 2, unit 2 is NaN');
    const codes = packCodes(new Float32Array(2).fill(1), { n: 1, H: 2 }, 'lsb');
    await expect(compressRows(rows, { ...options, codes })).rejects.toThrow('one for each of 2 rows');
  });

  test('rows whose bytes are not those of their shape are refused, not filled up with zeros', async () => {
    const { rows, options } = drawn(3, 9, 2, 8);
    const short = { ...rows, bits: rows.bits.subarray(0, 5) };
    await expect(compressRows(short, options)).rejects.toThrow(
      'expected 6 entries for 3 rows of 9 columns, 2 each, got 5',
    );
    const compressor = await openCompressor(3, options, { rows, codes: options.codes });
    await expect(compressor.block(short, options.codes)).rejects.toThrow(
      'expected 6 bytes for 3 rows of 9, got 5',
    );
    const none = drawn(0, 9, 2, 8);
    expect(decompressRows(await compressRows(none.rows, none.options))).toEqual(none.rows);
  });

  test('what no reader would take is not written', async () => {
    const sized = (n: number, V: number, H: number) => {
      const rows: BitRows = { kind: 'bits', n: 0, V, bits: new Uint8Array() };
      const codes = packCodes(new Float32Array(), { n: 0, H }, 'lsb');
      return () =>
        openCompressor(n, { W: new Float32Array(), shape: { V, H, bias: false } }, { rows, codes });
    };
    await expect(sized(1, 2, 4097)()).rejects.toThrow(
      'compress: H = 4097, expected a whole number, at most 4096',
    );
    await expect(sized(1, 2 ** 24 + 1, 0)()).rejects.toThrow(
      'V = 16777217, expected a whole number, at most 16777216',
    );
    await expect(sized(2 ** 32, 2, 2)()).rejects.toThrow(
      'n = 4294967296, expected a whole number, at most 4294967295',
    );
    await expect(sized(1, 2 ** 16, 2049)()).rejects.toThrow(
      '65536 x 2049 weights, expected at most 134217728',
    );
    await expect(sized(1.5, 2, 2)()).rejects.toThrow('n = 1.5');
  });
});

describe('damaged files', async () => {
  const { rows, options } = drawn(60, 25, 6, 9);
  const file = await compressRows(rows, options);

  test('every changed byte is noticed', () => {
    for (let k = 0; k < file.length; k++) {
      const damaged = file.slice();
      damaged[k] ^= 1 << (k & 7);
      expect(() => decompressRows(damaged), `byte ${k}`).toThrow(FormatError);
    }
  });

  test('every cut and every addition is noticed', () => {
    for (let k = 0; k < file.length; k++) {
      expect(() => decompressRows(file.subarray(0, k)), `${k} bytes`).toThrow(FormatError);
    }
    const longer = new Uint8Array(file.length + 8);
    longer.set(file);
    expect(() => decompressRows(longer)).toThrow(FormatError);
  });

  test('a forged file ends in an error or in rows, soon and without much memory', () => {
    const model = breakdown(file).model;
    holds(
      fc.property(
        fc.array(fc.record({ at: fc.nat(file.length - 1), byte: fc.nat(255) }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.boolean(),
        (changes, blocks) => {
          const forged = file.slice();
          for (const { at, byte } of changes) forged[blocks ? at : at % (40 + model)] = byte;
          forged.set([80, 67, 65, 69, 80, 65, 67, 75, 2, 0, 0, 0]);
          sign(forged, model);
          try {
            const { V, n, bits } = decompressRows(forged);
            expect(bits.length).toBe(n * rowBytes(V));
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError);
          }
        },
      ),
      { seed: 11, numRuns: 400 },
    );
  });

  /** Makes the checksums fit again. */
  function sign(forged: Uint8Array, model: number): void {
    const view = new DataView(forged.buffer);
    view.setUint32(32, model, true);
    view.setUint32(36, crc32(forged.subarray(40, 40 + model), crc32(forged.subarray(0, 36))), true);
    const at = 40 + model;
    const data = forged.subarray(at + 16, forged.length - 4);
    view.setUint32(at + 12, crc32(data, crc32(forged.subarray(at, at + 12))), true);
  }
});

function drawnCodes(bytes: Uint8Array, n: number, H: number): Float32Array {
  const stride = rowBytes(H);
  return Float32Array.from({ length: n * H }, (_, k) => {
    const [i, h] = [Math.floor(k / H), k % H];
    return (bytes[i * stride + (h >> 3)] >> (7 - (h & 7))) & 1 ? 1 : -1;
  });
}

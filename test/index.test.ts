import { expect, it } from 'vitest';
import * as pcae from '../src/index.ts';

it('exports no set of codes that `fit` would not take: encodings are named', () => {
  expect(pcae).toHaveProperty('fit');
  for (const name of ['ball', 'bits', 'box', 'nonnegative', 'real', 'simplex']) {
    expect(pcae).not.toHaveProperty(name);
  }
});

/** The types of what functions take and return have names of their own; this file does not compile where they have not. */
type Named = [
  (codes: pcae.BoxCodes, options: pcae.DrawOptions) => Float32Array,
  (
    engine: pcae.Engine,
    at: pcae.Point,
    options: { draws: number; seed: number },
  ) => Promise<pcae.ExpectedLoss>,
  (codes: Float32Array, shape: pcae.CodeShape, order: pcae.BitOrder) => pcae.PackedCodes,
  (rows: pcae.Rows, options: pcae.CompressOptions) => unknown,
  (bytes: Uint8Array) => pcae.Breakdown,
  (options: pcae.WasmEngineOptions) => Promise<pcae.Engine>,
  (rows: pcae.RowsInput, options: pcae.PcaOptions) => Promise<pcae.PcaWithLink>,
];

it('names the types of its calls', () => {
  const calls: Named = [
    pcae.drawCodes,
    pcae.expectedLoss,
    pcae.packCodes,
    pcae.compressRows,
    pcae.breakdown,
    pcae.createWasmEngine,
    pcae.fitPca,
  ];
  const compressor: pcae.Compressor | undefined = undefined;
  const table: pcae.Table = { data: Uint8Array.of(0, 1), n: 1, V: 2 };
  const options: pcae.FitOptions = { H: 1, validation: table };
  expect(calls.every((call) => typeof call === 'function')).toBe(true);
  expect([compressor, options.validation]).toEqual([undefined, table]);
});

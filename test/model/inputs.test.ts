import { beforeAll, describe, expect, it } from 'vitest';
import { fitAutoencoder } from '../../src/baselines/autoencoder.ts';
import { fitPca, pcaLoss } from '../../src/baselines/pca.ts';
import { packCodes } from '../../src/bits/pack.ts';
import { compressRows } from '../../src/compress/compress.ts';
import { digits } from '../../src/data/digits.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { fitDecoder } from '../../src/model/decoder.ts';
import { fit } from '../../src/model/fit.ts';
import { fitStack } from '../../src/model/fit-stack.ts';
import { fitTransform } from '../../src/model/fit-transform.ts';
import { impute } from '../../src/model/impute.ts';
import type { PCAE } from '../../src/model/model.ts';
import { partialFit } from '../../src/model/partial-fit.ts';
import { l1Path } from '../../src/model/path.ts';
import { pathH } from '../../src/model/path-h.ts';
import { sample } from '../../src/model/sample.ts';
import type { Stack } from '../../src/model/stack.ts';
import { corrupt } from '../../src/rows/corrupt.ts';
import { asRows, type RowsInput, readRows } from '../../src/rows/input.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { entry } from '../../src/rows/rows.ts';

const engine = await createEngine({ threads: 1 });
const [n, V] = [40, 6];
const bit = (k: number) => ((k * k + (k >> 2)) % 7 > 2 ? 1 : 0);
const data = Uint8Array.from({ length: n * V }, (_, k) => bit(k));
const packed = asRows({ data, n, V });
const inputs: Readonly<Record<string, RowsInput>> = {
  'a table': { data, n, V },
  'nested arrays': Array.from({ length: n }, (_, i) => Array.from(data.subarray(i * V, (i + 1) * V))),
  'typed arrays': Array.from({ length: n }, (_, i) => data.subarray(i * V, (i + 1) * V)),
  booleans: Array.from({ length: n }, (_, i) => Array.from({ length: V }, (_, v) => bit(i * V + v) === 1)),
  pictures: { n, height: 2, width: 3, images: data.map((x) => 255 * x) },
  'a source': memorySource(packed),
};

let model: PCAE;
let stack: Stack;
beforeAll(async () => {
  model = await fit(packed, { H: 2, epochs: 3, engine });
  stack = await fitStack(packed, { layers: [3, 2], epochs: 2, rounds: 1, engine });
});

/** Every public call that takes rows. */
const calls: Readonly<Record<string, (rows: RowsInput) => Promise<unknown>>> = {
  fit: async (rows) => (await fit(rows, { H: 2, epochs: 2, engine })).W,
  'fit, validation': async (rows) => (await fit(packed, { H: 2, epochs: 2, validation: rows, engine })).W,
  'fit, noise': async (rows) =>
    (await fit(packed, { H: 2, epochs: 2, noise: { clean: rows }, engine })).restoring,
  fitTransform: async (rows) => (await fitTransform(rows, { H: 2, epochs: 2, engine })).codes,
  partialFit: async (rows) => (await partialFit(model, rows, { engine })).W,
  fitStack: async (rows) => (await fitStack(rows, { layers: [3, 2], epochs: 2, rounds: 1, engine })).layers,
  fitDecoder: async (rows) => (await fitDecoder(new Float32Array(n).fill(0.5), rows, { engine })).W,
  l1Path: async (rows) => (await l1Path(rows, { H: 2, epochs: 2, l1s: [0.01], engine }))[0].model.W,
  'l1Path, heldOut': async (rows) =>
    (await l1Path(packed, { H: 2, epochs: 2, l1s: [0.01], heldOut: rows, engine }))[0].heldOutLoss,
  pathH: async (rows) => (await pathH(rows, { Hs: [1, 2], epochs: 2, engine })).best.model.W,
  encode: (rows) => model.encode(rows, { engine }),
  encodeSource: async (rows) => {
    for await (const { codes, gaps } of model.encodeSource(rows, { engine })) return { codes, gaps };
  },
  transform: (rows) => model.transform(rows, { engine }),
  reconstruct: (rows) => model.reconstruct(rows, { engine }),
  loss: (rows) => model.loss(rows, { engine }),
  evaluate: (rows) => model.evaluate(rows, { engine }),
  'evaluate, against': (rows) => model.evaluate(packed, { against: rows, engine }),
  chooseShrink: (rows) => model.chooseShrink(rows, { engine }),
  impute: async (rows) => (await impute(model, rows, { engine })).values,
  sample: async (rows) => (await sample(model, { start: rows, steps: 1, engine })).means,
  'stack.encode': (rows) => stack.encode(rows, { engine }),
  'stack.evaluate': (rows) => stack.evaluate(rows, { engine }),
  compressRows: (rows) =>
    compressRows(rows, {
      ...{ W: model.W, shape: model, codes: packCodes(new Float32Array(2 * n).fill(1), { n, H: 2 }, 'lsb') },
    }),
  fitPca: async (rows) => (await fitPca(rows, { H: 2, engine })).slopes,
  pcaLoss: async (rows) => pcaLoss(rows, await fitPca(packed, { H: 2, engine }), { engine }),
  fitAutoencoder: async (rows) =>
    (await fitAutoencoder(rows, { H: 2, units: 'relu', epochs: 1, test: rows, engine })).history[0].test,
  corrupt: async (rows) => {
    const { bits } = (await readRows(
      corrupt(rows as typeof packed, { kind: 'flip', rho: 0.3 }),
    )) as typeof packed & {
      kind: 'bits';
    };
    return bits;
  },
};

describe.each(Object.entries(calls))('%s takes', (_, call) => {
  it.each(Object.keys(inputs))('%s', async (name) => {
    expect(await call(inputs[name])).toEqual(await call(packed));
  });
});

it('a model knows what its pictures were, and new ones are read like them', async () => {
  const { train, test } = digits({ train: 60, test: 20 });
  const model = await fit(train, { H: 3, epochs: 2, engine });
  expect(model.image).toEqual({ height: 28, width: 28 });
  expect(model.schema).toEqual({ values: 'bytes', binarize: 'sample', seed: 0, kind: 'bits' });
  expect(model.W).toEqual((await fit(asRows(train), { H: 3, epochs: 2, engine })).W);
  const grey = await fit({ ...train, binarize: 'none' }, { H: 3, epochs: 2, engine });
  expect((await grey.encode(test, { engine })).losses).toEqual(
    (await grey.encode({ ...test, binarize: 'none' }, { engine })).losses,
  );
});

it('a table that names its columns gives them to the model', async () => {
  const columns = ['a', 'b', 'c', 'd', 'e', 'f'];
  const model = await fit({ data, n, V, columns }, { H: 1, epochs: 1, engine });
  expect(model.columns).toEqual(columns);
  await expect(model.encode({ data, n, V, columns: [...columns].reverse() }, { engine })).rejects.toThrow(
    "column 0 of the rows is 'f', but the model was fitted to 'a' there",
  );
});

it('missing entries of nested arrays are null, where they are said to be missing', async () => {
  const holes = Array.from({ length: n }, (_, i) =>
    Array.from({ length: V }, (_, v) => ((i + v) % 5 ? bit(i * V + v) : null)),
  );
  await expect(fit(holes, { H: 1, engine })).rejects.toThrow('missing entries need missing: NaN');
  const filled = await impute(model, { data: holes, missing: Number.NaN }, { engine });
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++)
      if ((i + v) % 5) expect(entry(filled, i, v)).toBe(entry(packed, i, v));
      else expect(Math.abs(entry(filled, i, v))).toBeLessThanOrEqual(1);
  }
});

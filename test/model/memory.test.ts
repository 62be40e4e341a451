import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import { fitDecoder } from '../../src/model/decoder.ts';
import { fit } from '../../src/model/fit.ts';
import { fitStack } from '../../src/model/fit-stack.ts';
import { l1Path } from '../../src/model/path.ts';
import { pathH } from '../../src/model/path-h.ts';
import { corrupt } from '../../src/rows/corrupt.ts';
import { takeColumns } from '../../src/rows/select.ts';
import { gaussians } from '../../src/solvers/gaussians.ts';
import { leaks } from '../engine/failing.ts';
import { toyRows } from '../training/toy.ts';

const rows = takeColumns(
  toyRows(40),
  Array.from({ length: 12 }, (_, v) => 90 + v),
);
const engine = await createWasmEngine();
const model = await fit(rows, { H: 2, epochs: 2, engine });
const bits = await fit(rows, { H: 2, epochs: 4, encoding: 'bits', engine });
const stack = await fitStack(rows, { layers: [3, 2], epochs: 1, rounds: 1, engine });
const codes = Float32Array.from(gaussians(2 * rows.n, 1));
const rowWeights = Float32Array.from({ length: rows.n }, (_, i) => i % 3);

const calls: Record<string, (engine: Engine) => Promise<unknown>> = {
  fit: (engine) => fit(rows, { H: 2, epochs: 2, validation: 0.2, rowWeights, engine }),
  'fit with l1': (engine) => fit(rows, { H: 2, epochs: 2, l1: 0.05, engine }),
  'fit with a start': (engine) => fit(rows, { H: 2, epochs: 1, start: model.W, engine }),
  'fit on the simplex': (engine) => fit(rows, { H: 2, epochs: 1, encoding: 'simplex', engine }),
  'fit, ridge chosen': (engine) => fit(rows, { H: 2, epochs: 2, ridge: 'auto', validation: 0.2, engine }),
  'fit with codes found anew': (engine) => fit(rows, { H: 2, epochs: 1, codes: 'recompute', engine }),
  'fit to bits': (engine) => fit(rows, { H: 2, epochs: 5, encoding: 'bits', validation: 0.2, engine }),
  'fit as the paper does': (engine) => fit(rows, { H: 2, epochs: 1, algorithm: 'paper', engine }),
  'fit to noisy rows': (engine) =>
    fit(corrupt(rows, { kind: 'mask', rho: 0.1 }), { H: 2, epochs: 1, noise: { clean: rows }, engine }),
  encode: (engine) => model.encode(rows, { engine }),
  'encode to bits': (engine) => bits.encode(rows, { bound: true, engine }),
  decode: (engine) => model.decode(codes, { engine }),
  evaluate: (engine) => model.evaluate(rows, { draws: 2, rowWeights, engine }),
  'evaluate against other rows': (engine) => model.evaluate(rows, { against: rows, engine }),
  fitDecoder: (engine) => fitDecoder(codes, rows, { engine }),
  'fitDecoder with l1': (engine) => fitDecoder(codes, rows, { l1: 0.01, engine }),
  fitStack: (engine) => fitStack(rows, { layers: [3, 2], epochs: 1, rounds: 1, engine }),
  'encode by a stack': (engine) => stack.encode(rows, { rounds: 1, engine }),
  'decode by a stack': (engine) => stack.decode(codes, { engine }),
  'evaluate a stack': (engine) => stack.evaluate(rows, { rounds: 1, against: rows, engine }),
  pathH: (engine) => pathH(rows, { Hs: [1, 2], epochs: 2, engine }),
  l1Path: (engine) => l1Path(rows, { H: 2, l1s: [0, 0.1], epochs: 2, engine }),
};

describe('whatever operation fails', () => {
  it.each(Object.keys(calls))("%s gives all of the engine's memory back", async (name) => {
    expect(await leaks(engine, calls[name], 30)).toEqual([]);
  });
});

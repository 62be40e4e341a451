import * as ort from 'onnxruntime-web';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { unitEntries } from '../../src/export/accuracy.ts';
import { exportDecoder } from '../../src/export/decoder.ts';
import { encoderGraph, exportEncoder } from '../../src/export/encoder.ts';
import { runGraph } from '../../src/export/run-graph.ts';
import { costWeighted } from '../../src/losses/cost-weighted.ts';
import { crossEntropy } from '../../src/losses/cross-entropy.ts';
import { hamming } from '../../src/losses/hamming.ts';
import type { Loss } from '../../src/losses/loss.ts';
import { squared } from '../../src/losses/squared.ts';
import { fit } from '../../src/model/fit.ts';
import { PCAE } from '../../src/model/model.ts';
import { entry, type Rows } from '../../src/rows/rows.ts';
import { withBias } from '../../src/solvers/codes.ts';
import { toyRows } from '../training/toy.ts';

const rows = toyRows(400, 1);
const test = toyRows(48, 2);
const H = 6;
let engine: Engine;
let model: PCAE;

beforeAll(async () => {
  ort.env.wasm.numThreads = 1;
  engine = await createEngine({ threads: 1 });
  model = await fit(rows, { H, epochs: 30, engine });
});

afterAll(() => engine.close());

/** Runs a file on one matrix and gives the outputs by name, and what the runtime read of its shapes. */
async function run(bytes: Uint8Array, input: Float32Array, columns: number) {
  const session = await ort.InferenceSession.create(bytes);
  const [name] = session.inputNames;
  const feed = new ort.Tensor('float32', input, [input.length / columns, columns]);
  const outputs = await session.run({ [name]: feed });
  const found = Object.fromEntries(
    session.outputNames.map((output) => [output, outputs[output].data as Float32Array]),
  );
  await session.release();
  return found;
}

/** The metadata of a file, which stand in it as plain text: the text after a key. */
function metadata(bytes: Uint8Array, key: string): string {
  const text = new TextDecoder('latin1').decode(bytes);
  const at = text.indexOf(key);
  expect(at, `${key} is in the file`).toBeGreaterThan(0);
  const after = at + key.length;
  // Field 2, its length as a varint of one or two bytes, then the value.
  const [low, high] = [bytes[after + 1], bytes[after + 2]];
  const [length, start] = low < 128 ? [low, after + 2] : [(low & 127) + 128 * high, after + 3];
  return text.slice(start, start + length);
}

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
}

/** The same weights under another loss. */
const under = (loss: Loss) => new PCAE({ ...model, reconstructionLoss: loss });

/** Loss above the certified optimum, one per row. */
async function excess(of: PCAE, data: Rows, codes: Float32Array): Promise<number[]> {
  const best = await of.encode(data, { engine, tolerance: 1e-4 });
  const width = of.W.length / of.V;
  const E = withBias(codes, of.H, width);
  return Array.from(best.losses, (least, i) => {
    let loss = 0;
    for (let v = 0; v < of.V; v++) {
      const x = entry(data, i, v);
      let m = 0;
      for (let h = 0; h < width; h++) m += of.W[v * width + h] * E[i * width + h];
      if (!Number.isNaN(x)) loss += 0.5 * (of.reconstructionLoss.psi(m) - x * m);
    }
    return loss - least;
  });
}

describe('the decoder as ONNX', () => {
  for (const loss of [crossEntropy, squared, hamming]) {
    it(`decodes as the model does: ${loss.name}`, async () => {
      const other = under(loss);
      const { codes } = await model.encode(test, { engine });
      const expected = await other.decode(codes, { engine });
      const found = await run(exportDecoder(other), codes, H);
      expect(Object.keys(found)).toEqual(['probabilities', 'reconstructions']);
      expect(largestDifference(found.reconstructions, expected)).toBeLessThan(2e-6);
      const probabilities = expected.map((y) => (1 + y) / 2);
      expect(largestDifference(found.probabilities, probabilities)).toBeLessThan(2e-6);
    });
  }

  for (const [encoding, about] of [
    ['bits', 'codes of bits: -1 and 1'],
    ['real', 'codes within [-'],
    ['nonnegative', 'codes within [0, '],
    ['simplex', 'sum to 1'],
    ['ball', 'length at most 1'],
  ] as const) {
    it(`decodes codes that are ${encoding}; only codes of a box have an encoder`, async () => {
      const other = await fit(rows, { H, epochs: 3, encoding, engine });
      const { codes } = await other.encode(test, { engine });
      const bytes = exportDecoder(other);
      const found = await run(bytes, codes, H);
      expect(largestDifference(found.reconstructions, await other.decode(codes, { engine }))).toBeLessThan(
        2e-6,
      );
      expect(new TextDecoder('latin1').decode(bytes)).toContain(about);
      if (encoding !== 'real') await expect(exportEncoder(other)).rejects.toThrow(/export.*decoder/);
    });
  }

  it('decodes by the correlations that were chosen', async () => {
    const keep = Uint8Array.from({ length: 196 * H }, (_, k) => (k % 3 === 0 ? 0 : 1));
    const other = await fit(rows, { H, epochs: 3, chosen: keep, engine });
    const { codes } = await other.encode(test, { engine });
    const found = await run(exportDecoder(other), codes, H);
    expect(largestDifference(found.reconstructions, await other.decode(codes, { engine }))).toBeLessThan(
      2e-6,
    );
    const encoded = await run(await exportEncoder(other, { steps: 60 }), unitEntries(test).data, 196);
    expect(Math.max(...(await excess(other, test, encoded.codes)))).toBeLessThan(1);
  });

  it('refuses a loss whose transfer function cannot be written', () => {
    const dear = costWeighted(crossEntropy, { falseOne: 1, falseZero: 5 });
    expect(() => exportDecoder(under(dear))).toThrow(/no closed form/);
  });

  it('says what it is', () => {
    const bytes = exportDecoder(model);
    expect(metadata(bytes, 'pc-ae.part')).toBe('decoder');
    expect(metadata(bytes, 'pc-ae.H')).toBe('6');
    expect(metadata(bytes, 'pc-ae.loss')).toBe('cross-entropy');
    expect(JSON.parse(metadata(bytes, 'pc-ae.training')).n).toBe(400);
  });
});

describe('the encoder as ONNX', () => {
  it('finds the codes that encode proves optimal', async () => {
    const found = await run(await exportEncoder(model, { steps: 60 }), unitEntries(test).data, 196);
    const above = await excess(model, test, found.codes);
    expect(Math.max(...above)).toBeLessThan(0.05);
    expect(found.codes.every((e) => Math.abs(e) <= model.radius)).toBe(true);
  });

  it('leaves no row stuck at the edge of the box, nor going back and forth', async () => {
    const more = toyRows(96, 3);
    const { codes } = runGraph(encoderGraph(model, { steps: 100 }), { rows: unitEntries(more) });
    expect(Math.max(...(await excess(model, more, codes.data)))).toBeLessThan(0.01);
  });

  it('goes as far as the loss falls where weights are so large that a code is flat at its start', async () => {
    const two = await fit(rows, { H: 2, epochs: 20, engine });
    const sharp = new PCAE({ ...two, W: two.W.map((w) => 5 * w) });
    const more = toyRows(96, 7);
    const { codes } = runGraph(encoderGraph(sharp, { steps: 40 }), { rows: unitEntries(more) });
    expect(Math.max(...(await excess(sharp, more, codes.data)))).toBeLessThan(0.01);
  });

  it('comes closer with every step', async () => {
    const means: number[] = [];
    for (const steps of [2, 5, 10, 20, 40]) {
      const { codes } = await run(await exportEncoder(model, { steps }), unitEntries(test).data, 196);
      const above = await excess(model, test, codes);
      means.push(above.reduce((a, b) => a + b) / above.length);
    }
    for (let k = 1; k < means.length; k++) expect(means[k]).toBeLessThan(means[k - 1]);
  });

  it('stays in a box that holds the codes back', async () => {
    const { codes } = await model.encode(test, { engine });
    const largest = codes.reduce((most, e) => Math.max(most, Math.abs(e)), 0);
    const tight = new PCAE({ ...model, radius: largest / 4 });
    const found = await run(await exportEncoder(tight, { steps: 60 }), unitEntries(test).data, 196);
    const edge = Math.fround(tight.radius);
    expect(found.codes.every((e) => Math.abs(e) <= edge)).toBe(true);
    expect(found.codes.filter((e) => Math.abs(e) === edge).length).toBeGreaterThan(10);
    const above = await excess(tight, test, found.codes);
    expect(above.reduce((a, b) => a + b) / above.length).toBeLessThan(0.1);
  });

  it('works for real codes without a bias, and for the squared loss', async () => {
    const plain = await fit(rows, { H, epochs: 10, encoding: 'real', bias: false, engine });
    const brier = await fit(rows, { H, epochs: 10, loss: squared, engine });
    for (const [other, limit] of [
      [plain, 0.05],
      [brier, 0.05],
    ] as const) {
      const found = await run(await exportEncoder(other, { steps: 60 }), unitEntries(test).data, 196);
      expect(Math.max(...(await excess(other, test, found.codes)))).toBeLessThan(limit);
    }
  });

  it('leaves missing entries out where asked to', async () => {
    const known = test.bits.map((_, k) => (k % 3 === 0 ? 0b10110111 : 0b01111110));
    const gappy: Rows = { ...test, known };
    const bytes = await exportEncoder(model, { steps: 60, takeMissing: true });
    const found = await run(bytes, unitEntries(gappy).data, 196);
    const above = await excess(model, gappy, found.codes);
    expect(Math.max(...above)).toBeLessThan(0.05);
    await expect(exportEncoder(model, { steps: 3, heldOut: gappy, engine })).rejects.toThrow(
      /takeMissing: true/,
    );
  });

  it('remembers how accurate it is, and the runtime agrees', async () => {
    const bytes = await exportEncoder(model, { steps: 12, heldOut: test, engine });
    const accuracy = JSON.parse(metadata(bytes, 'pc-ae.accuracy'));
    expect(metadata(bytes, 'pc-ae.steps')).toBe('12');
    expect(accuracy.n).toBe(48);
    expect(accuracy.loss).toBeCloseTo(await model.loss(test, { engine }), 2);
    const { codes } = await run(bytes, unitEntries(test).data, 196);
    const above = await excess(model, test, codes);
    const mean = above.reduce((a, b) => a + b) / above.length;
    expect(mean).toBeGreaterThan(0.001);
    expect(Math.abs(accuracy.excess.mean - mean)).toBeLessThan(0.002 + 0.05 * mean);
    expect(accuracy.excess.max).toBeGreaterThan(Math.max(...above) * 0.9);
  });

  it('never ends above the code that it starts from, whatever the rows', async () => {
    const zeros = new Float32Array(196);
    const ones = zeros.map(() => 1);
    const halves = zeros.map(() => 0.5);
    const noise = Float32Array.from({ length: 20 * 196 }, (_, k) => ((k * 7919) % 104729) % 2);
    for (const steps of [1, 3, 30]) {
      const bytes = await exportEncoder(model, { steps });
      for (const data of [zeros, ones, halves, noise]) {
        const { codes } = await run(bytes, data, 196);
        const strange: Rows = {
          kind: 'real',
          n: data.length / 196,
          V: 196,
          values: data.map((p) => 2 * p - 1),
        };
        const [above, before] = [
          await excess(model, strange, codes),
          await excess(model, strange, new Float32Array(codes.length)),
        ];
        above.forEach((each, i) => {
          expect(each).toBeLessThanOrEqual(before[i] + 1e-3);
          expect(each).toBeGreaterThan(-1e-2);
        });
      }
    }
  });

  it('is computed alike by runGraph', async () => {
    const found = await run(await exportEncoder(model, { steps: 6 }), unitEntries(test).data, 196);
    const { codes } = runGraph(encoderGraph(model, { steps: 6 }), { rows: unitEntries(test) });
    expect(largestDifference(found.codes, codes.data)).toBeLessThan(1e-4);
  });

  it('refuses what cannot be', async () => {
    await expect(exportEncoder(model, { steps: 0 })).rejects.toThrow(/steps.*got 0/);
    await expect(exportEncoder(under(hamming))).rejects.toThrow(/only for cross-entropy and squared/);
  });
});

import { afterAll, describe, expect, it } from 'vitest';
import { fitAutoencoder, type Units } from '../../src/baselines/autoencoder.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { asRows } from '../../src/rows/input.ts';
import { type Rows, sliceRows } from '../../src/rows/rows.ts';
import { generator } from '../engine/problems.ts';
import { baseRateLoss, toyRows } from '../training/toy.ts';

const every: readonly Units[] = ['logistic', 'relu', 'sign'];
const rows = toyRows(600);
const [training, test] = [sliceRows(rows, 0, 500), sliceRows(rows, 500, 600)];
const [H, batch] = [12, 25];

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

describe('one-layer autoencoders', () => {
  it('learn digits', async () => {
    const options = { H, units: 'relu', batch: 10, engine, epochs: 40, test, validation: 0.1 } as const;
    const { history, last, n, stopped } = await fitAutoencoder(training, options);
    expect({ n, stopped, epochs: history.length }).toEqual({ n: 450, stopped: 'epochs', epochs: 40 });
    const end = history[39];
    expect(end.loss).toBeLessThan(0.75 * baseRateLoss(rows));
    expect(end.test).toBeLessThan(0.8 * baseRateLoss(rows));
    expect(await last.loss(test, { engine })).toBeCloseTo(end.test ?? Number.NaN, 3);
  });

  it('take flat tables wherever they take rows', async () => {
    const table = { data: Uint8Array.from({ length: 80 }, (_, k) => ((k * k) % 3) & 1), n: 10, V: 8 };
    const settings = { H: 2, units: 'relu', epochs: 1, engine } as const;
    const flat = await fitAutoencoder(table, { ...settings, test: table, validation: table });
    const packed = asRows(table);
    const same = await fitAutoencoder(packed, { ...settings, test: packed, validation: packed });
    const [a, b] = [flat.bestOnValidation!.autoencoder, same.bestOnValidation!.autoencoder];
    expect(await a.encode(table, { engine })).toEqual(await b.encode(packed, { engine }));
    expect(flat.history[0].test).toBe(same.history[0].test);
  });

  it.each(every)('find the few bits that all others repeat: %s units', async (units) => {
    const planted = repeated(400);
    const options = { H: 8, units, batch: 10, engine, epochs: 60 };
    const { history } = await fitAutoencoder(sliceRows(planted, 0, 350), { ...options, test: planted });
    expect(history[59].loss).toBeLessThan(0.35 * 40 * Math.LN2);
    expect(history[59].test).toBeLessThan(0.35 * 40 * Math.LN2);
  });

  it('start wider and see bits as -1 and 1 when told so', async () => {
    const options = { H, units: 'logistic', batch, engine, epochs: 3 } as const;
    const { last } = await fitAutoencoder(training, { ...options, inputs: 'plus-minus', gain: 4 });
    expect(last.inputs).toBe('plus-minus');
    // Three epochs of Adam move a weight by 0.06 at most.
    const limit = 4 * Math.sqrt(6 / (rows.V + H));
    const largest = last.U.reduce((most, u) => Math.max(most, Math.abs(u)), 0);
    expect(Math.abs(largest - limit)).toBeLessThan(0.07);
    // A bit that is not known is neither -1 nor 1: with none known, a code is f(b).
    const blank: Rows = { ...(sliceRows(test, 0, 1) as Rows & { kind: 'bits' }), known: new Uint8Array(25) };
    const codes = await last.encode(blank, { engine });
    for (let h = 0; h < H; h++) expect(codes[h]).toBeCloseTo(1 / (1 + Math.exp(-last.b[h])), 5);
  });

  it('encode to the range of their units, and decode to what the loss is taken of', async () => {
    const ranges: Record<Units, (e: number) => boolean> = {
      logistic: (e) => e > 0 && e < 1,
      relu: (e) => e >= 0,
      sign: (e) => e === 1 || e === -1,
    };
    for (const units of every) {
      const { last } = await fitAutoencoder(training, { H, units, batch, engine, epochs: 2 });
      const codes = await last.encode(test, { engine });
      expect(codes).toHaveLength(test.n * H);
      expect(codes.every(ranges[units])).toBe(true);
      const decoded = await last.decode(codes, { engine });
      const loss = crossEntropyOf(test, decoded);
      expect(await last.loss(test, { engine })).toBeCloseTo(loss, 2);
    }
  });

  it('are the same for a seed with any number of threads, and differ between seeds', async () => {
    const learn = async (threads: number, seed: number) => {
      const own = await createEngine({ threads });
      // Wide enough that a minibatch is worth waking threads for.
      const options = { H: 60, units: 'logistic', batch: 250, epochs: 2, seed, engine: own, test } as const;
      const { history } = await fitAutoencoder(training, options);
      await own.close();
      return history.map(({ loss, test: tested }) => [loss, tested]);
    };
    const one = await learn(1, 1);
    expect(await learn(2, 1)).toEqual(one);
    expect(await learn(1, 2)).not.toEqual(one);
  });

  it('choose an epoch on the test rows and another on the validation rows, from one run', async () => {
    const few = sliceRows(training, 0, 60);
    const held = sliceRows(training, 400, 500);
    const options = { H: 40, units: 'relu', batch: 10, engine, epochs: 200, test, validation: held } as const;
    const { history, bestOnTest, bestOnValidation, last } = await fitAutoencoder(few, options);
    const lowest = (values: readonly (number | undefined)[]) => Math.min(...values.map((v) => v ?? 1e9));
    expect(bestOnTest?.test).toBe(lowest(history.map((entry) => entry.test)));
    expect(bestOnValidation?.validation).toBe(lowest(history.map((entry) => entry.validation)));
    expect(history[(bestOnValidation?.epoch ?? 0) - 1]).toEqual({
      ...{ ...bestOnValidation, autoencoder: undefined },
    });
    // So few rows are learned by heart: the best epoch is not the last, and its weights were kept.
    expect(bestOnTest?.epoch).toBeLessThan(200);
    expect(await bestOnTest?.autoencoder.loss(test, { engine })).toBeCloseTo(bestOnTest?.test ?? 0, 3);
    expect(await last.loss(test, { engine })).toBeGreaterThan(bestOnTest?.test ?? 0);
    const patient = await fitAutoencoder(few, { ...options, patience: 5 });
    expect(patient.stopped).toBe('patience');
    expect(patient.history.length).toBeLessThan(200);
    expect(patient.bestOnTest?.epoch).toBe(bestOnTest?.epoch);
  });

  it('take rows of real values and rows with missing entries', async () => {
    const values = Float32Array.from({ length: 100 * 20 }, (_, k) =>
      k % 3 === 0 ? Number.NaN : Math.sin(k),
    );
    const real: Rows = { kind: 'real', n: 100, V: 20, values };
    const bits = sliceRows(training, 0, 100) as Rows & { kind: 'bits' };
    const known: Rows = { ...bits, known: bits.bits.map((_, k) => (37 * k) % 256) };
    for (const some of [real, known]) {
      const { history } = await fitAutoencoder(some, {
        H: 4,
        units: 'logistic',
        batch: 10,
        epochs: 30,
        engine,
      });
      expect(history[29].loss).toBeLessThan(0.95 * history[0].loss);
    }
  });

  it('rejects when it is aborted, and tells how far it has come', async () => {
    const stop = new AbortController();
    const fitted = fitAutoencoder(training, {
      ...{ H, units: 'relu', batch, engine, test, signal: stop.signal },
      onProgress: ({ phase, fraction }) => {
        expect(fraction).toBeLessThan(0.01);
        if (phase === 'learn') stop.abort();
      },
    });
    await expect(fitted).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('say what is wrong with an option', async () => {
    const bad = (options: object) => fitAutoencoder(training, { H, units: 'relu', engine, ...options });
    await expect(bad({ H: 0 })).rejects.toThrow('H must be a whole number of at least 1, got 0');
    await expect(bad({ units: 'tanh' })).rejects.toThrow(
      'units must be one of logistic, relu, sign, got tanh',
    );
    await expect(bad({ inputs: 'grey' })).rejects.toThrow('inputs must be one of zero-one, plus-minus');
    await expect(bad({ gain: 0 })).rejects.toThrow('gain must be more than 0, got 0');
    await expect(fitAutoencoder(training, undefined as never)).rejects.toThrow('fitAutoencoder(rows, { H: 8');
    await expect(fitAutoencoder(undefined as never, { H, units: 'relu' })).rejects.toThrow(
      /^rows: expected arrays/,
    );
    await expect(bad({ test: [[0, 1, 0, 1, 0, 1, 0]] })).rejects.toThrow('test rows have 7 columns');
    await expect(bad({ validation: 2 })).rejects.toThrow('share to hold out');
  });
});

/** Rows of four fair coins, each seen ten times: 40 ln 2 nats per row without a code. */
function repeated(n: number): Rows {
  const random = generator(17);
  const coins = Array.from({ length: 4 * n }, () => random() > 0.5);
  const data = Uint8Array.from({ length: 40 * n }, (_, k) =>
    coins[4 * Math.floor(k / 40) + (k % 4)] ? 1 : 0,
  );
  return asRows({ data, n, V: 40 });
}

/** Mean cross-entropy of rows of bits under reconstructions in [-1, 1]. */
function crossEntropyOf(bitRows: Rows, decoded: Float32Array): number {
  if (bitRows.kind !== 'bits') throw new Error('bits expected');
  let sum = 0;
  for (let i = 0; i < bitRows.n; i++) {
    for (let v = 0; v < bitRows.V; v++) {
      const x = (bitRows.bits[i * 25 + (v >> 3)] >> (v & 7)) & 1 ? 1 : -1;
      sum -= Math.log((1 + x * decoded[i * bitRows.V + v]) / 2);
    }
  }
  return sum / bitRows.n;
}

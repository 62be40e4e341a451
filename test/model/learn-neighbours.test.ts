import { describe, expect, it } from 'vitest';
import { fitLogisticColumns, guessLogistic } from '../../src/baselines/logistic-columns.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import { crossEntropy } from '../../src/losses/cross-entropy.ts';
import { calibrate } from '../../src/model/calibrate.ts';
import { completeRows } from '../../src/model/complete.ts';
import { compareHidden, evaluateHidden } from '../../src/model/evaluate-hidden.ts';
import { fit } from '../../src/model/fit.ts';
import { impute } from '../../src/model/impute.ts';
import { load } from '../../src/model/load.ts';
import { PCAE } from '../../src/model/model.ts';
import { partialFit } from '../../src/model/partial-fit.ts';
import { hideEntries } from '../../src/rows/hide.ts';
import { entry, sliceRows } from '../../src/rows/rows.ts';
import type { Progress } from '../../src/training/loop/progress.ts';
import { surveyRows } from '../survey.ts';

const engine = await createWasmEngine({ relaxed: false });
const training = surveyRows(1500, 1);
const [validation, test] = [surveyRows(500, 2), surveyRows(800, 3)];
const options = { H: 2, neighbours: 8, validation, engine, epochs: 20, ridge: 0.1 };
const model = await fit(training, options);
const alone = new PCAE({ ...model, neighbours: undefined });

describe('a model with neighbours, on a survey with one column per answer', () => {
  it('guesses hidden entries far better than its codes alone, and better than a regression per column', async () => {
    const heard = await evaluateHidden(model, test, { engine });
    const codes = await evaluateHidden(alone, test, { engine });
    expect(heard.entries).toBe(codes.entries);
    expect(heard.entryLoss).toBeLessThan(0.6 * codes.entryLoss);
    const { shown, hidden } = hideEntries(test, 0.2, 1);
    const logistic = await fitLogisticColumns(engine, training, { seed: 1 });
    const regression = compareHidden(hidden, await guessLogistic(engine, logistic, shown), crossEntropy);
    expect(heard.entryLoss).toBeLessThan(regression.entryLoss);
    expect(regression.entryLoss).toBeLessThan(codes.entryLoss);
  });

  it('is the same for the same seed, and has the codes of a model without', async () => {
    const again = await fit(training, options);
    expect(again.neighbours).toEqual(model.neighbours);
    const without = await fit(training, { ...options, neighbours: 0 });
    expect(without.neighbours).toBeUndefined();
    expect(without.W).toEqual(model.W);
  });

  it('survives its file', async () => {
    const back = load(model.save(), { as: PCAE });
    expect(back.neighbours).toEqual(model.neighbours);
    const { shown } = hideEntries(sliceRows(test, 0, 50), 0.2, 5);
    const filled = await impute(back, shown, { engine });
    expect(filled.values).toEqual((await impute(model, shown, { engine })).values);
    expect(filled.entryLoss).toBe(model.neighbours?.entryLoss);
    for (let v = 0; v < test.V; v++) {
      const x = entry(shown, 0, v);
      if (!Number.isNaN(x)) expect(filled.values[v]).toBe(x);
    }
  });

  it('is calibrated by the guesses that impute makes', async () => {
    const calibrated = await calibrate(model, test, { engine, hide: 0.2 });
    const { shrink, values } = calibrated.calibration!.guesses!;
    expect(shrink).toBe(model.neighbours!.shrink);
    const { shown, hidden } = hideEntries(surveyRows(800, 4), 0.2, 5);
    const filled = await impute(calibrated, shown, { engine, wrong: 0.05 });
    let [wrong, count] = [0, 0];
    for (let k = 0; k < filled.values.length; k++) {
      const x = entry(hidden, Math.floor(k / hidden.V), k % hidden.V);
      if (Number.isNaN(x) || Number.isNaN(filled.values[k])) continue;
      count++;
      if (filled.values[k] * x < 0) wrong++;
    }
    expect(count).toBeGreaterThan(0.5 * 0.2 * 800 * hidden.V);
    expect(wrong / count).toBeLessThan(0.05);
    // As sure as impute is of the same entries: the calibration knows the neighbours.
    const shares = await completeRows(model, hideEntries(test, 0.2, 1).shown, { engine, shrink });
    const sure = new Set(Array.from(shares, (y) => Math.fround((1 + Math.abs(y)) / 2)));
    const found = values.filter((guess) => guess !== 0 && sure.has(Math.abs(guess))).length;
    expect(found).toBeGreaterThan(0);
  });

  it('is the same by any number of threads', async () => {
    const two = await createEngine({ threads: 2, relaxed: false });
    const again = await fit(training, { ...options, engine: two });
    await two.close();
    expect(again.neighbours).toEqual(model.neighbours);
  });

  it('tells how far it has come, ends when it is told to, and leaves out what there is no time for', async () => {
    const few = { ...options, epochs: 2, validation: sliceRows(validation, 0, 100) };
    const rows = sliceRows(training, 0, 300);
    const told: number[] = [];
    const abort = new AbortController();
    const onProgress = ({ phase, fraction }: Progress) => {
      if (phase !== 'neighbours') return;
      told.push(fraction);
      abort.abort(new Error('enough'));
    };
    await expect(fit(rows, { ...few, onProgress, signal: abort.signal })).rejects.toThrow('enough');
    expect(told).toEqual([0]);
    const { neighbours } = await fit(rows, { ...few, timeBudget: 1e-3 });
    expect(neighbours!.passes).toEqual([]);
    expect(neighbours!.entryLoss).toBe(neighbours!.entryLossAlone);
  });

  it('refuses validation rows that have nothing to hide, by which nothing can be judged', async () => {
    const { n, V } = validation;
    const unknown = { kind: 'real', n: 1, V, values: new Float32Array(V).fill(Number.NaN) } as const;
    const learning = fit(sliceRows(validation, 0, n), { ...options, validation: unknown, epochs: 1 });
    await expect(learning).rejects.toThrow('1 validation row had none to hide; hold more rows out');
  });

  it('refuses what does not fit its neighbours', async () => {
    await expect(impute(model, test, { shrink: 1e3, engine })).rejects.toThrow(/shrink is that of learning/);
    await expect(fit(training, { H: 2, neighbours: 4 })).rejects.toThrow(/neighbours need validation rows/);
    await expect(fit(training, { ...options, neighbours: 1.5 })).rejects.toThrow(/whole number/);
    expect((await partialFit(model, validation, { engine })).neighbours).toBeUndefined();
  });
});

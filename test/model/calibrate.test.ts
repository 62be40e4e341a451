import { beforeAll, describe, expect, it } from 'vitest';
import { calibrate, customLoss, fit, fitStack, impute, PCAE, partialFit } from '../../src/index.ts';
import { load } from '../../src/model/load.ts';
import { calibrate as calibrationOf } from '../../src/promises/calibration.ts';
import { withEscape } from '../../src/promises/ceiling.ts';
import { promise, promises } from '../../src/promises/promise.ts';
import { entry, sliceRows } from '../../src/rows/rows.ts';
import { lowRankRows } from '../low-rank.ts';
import { broken, meanOf, mostBroken, shareAtMost } from '../promises/sources.ts';

const [V, H] = [24, 3];
const all = lowRankRows(6000, V, 11);
const [learning, calibrating, others] = [
  sliceRows(all, 0, 1500),
  sliceRows(all, 1500, 2500),
  sliceRows(all, 2500, 6000),
];
let model: PCAE;
let calibrated: PCAE;

beforeAll(async () => {
  model = await fit(learning, { H, epochs: 15 });
  calibrated = await calibrate(model, calibrating);
});

describe('a calibrated model', () => {
  it('promises what other rows of the source cost', async () => {
    const found = await calibrated.evaluate(others);
    const { losses } = await calibrated.encode(others, { escape: true });
    const sorted = losses.slice().sort();
    const bound = (of: (typeof promises)[number]) => calibrated.promise({ of }).bound;
    expect(bound('mean')).toBeGreaterThan(found.lossWithEscape);
    expect(losses.filter((loss) => loss <= bound('quantile')).length / losses.length).toBeGreaterThan(0.95);
    expect(losses.filter((loss) => loss <= bound('next row')).length / losses.length).toBeGreaterThan(0.93);
    const worst = sorted.slice(0.9 * sorted.length);
    expect(bound('tail')).toBeGreaterThan(worst.reduce((a, b) => a + b, 0) / worst.length);
    expect(found.sameSource?.pValue).toBeGreaterThan(0.001);
    for (const of of promises) expect(bound(of)).toBeLessThanOrEqual(calibrated.ceiling());
  });

  it('keeps its promises over many splits of real losses, as often as it says', async () => {
    const { losses } = await model.encode(others);
    const table = losses.map((loss) => withEscape(loss, V * Math.LN2, model)).sort();
    const [times, n, confidence] = [500, 150, 0.9];
    const worst = meanOf(table.slice(Math.ceil(0.9 * table.length)));
    // Calibration rows are drawn from the table without replacement, and promises are about all of it.
    const drawn = (random: () => number) => {
      const left = losses.slice();
      for (let i = 0; i < n; i++) {
        const j = i + Math.floor(random() * (left.length - i));
        [left[i], left[j]] = [left[j], left[i]];
      }
      return calibrationOf(left.subarray(0, n), model);
    };
    const kept = {
      mean: (bound: number) => bound >= meanOf(table),
      quantile: (bound: number) => shareAtMost(table, bound) >= 0.95,
      tail: (bound: number) => bound >= worst,
    };
    for (const of of ['mean', 'quantile', 'tail'] as const) {
      const count = broken(times, 5, (random) => {
        const { bound } = promise(model, drawn(random), { of, confidence });
        return !kept[of](bound);
      });
      expect(count, of).toBeLessThanOrEqual(mostBroken(times, 1 - confidence));
    }
  });

  it('judges guesses on rows that had no part in choosing how they are made', () => {
    const { values, perRow } = calibrated.calibration!.guesses!;
    expect(values.length / perRow).toBe(0.9 * calibrating.n);
    // A row has as many guesses as it has hidden entries, a tenth of 24 on average.
    const counted = values.filter((value) => value !== 0).length / (0.9 * calibrating.n);
    expect(Math.abs(counted - 2.4)).toBeLessThan(0.3);
  });

  it('notices rows of another source', async () => {
    const { sameSource } = await calibrated.evaluate(lowRankRows(300, V, 99));
    expect(sameSource?.pValue).toBeLessThan(1e-6);
    expect(sameSource?.above).toBeGreaterThan(0.2);
  });

  it('is the same from a file', () => {
    const loaded = load(calibrated.save(), { as: PCAE });
    expect(loaded.calibration).toEqual(calibrated.calibration);
    expect(loaded.training.seen).toEqual(calibrated.training.seen);
    for (const of of promises) expect(loaded.promise({ of })).toEqual(calibrated.promise({ of }));
  });

  it('keeps its promise when bits change after encoding, by capped scores', async () => {
    const { codes, losses } = await calibrated.encode(others);
    const { bound, cap } = calibrated.promise({ of: 'changed bits', bits: 2 });
    const decoded = await calibrated.decode(codes, { cap });
    let total = 0;
    for (let i = 0; i < others.n; i++) {
      // An adversary changes the two bits that the reconstruction is surest of and right about.
      const costs = Array.from(
        { length: V },
        (_, v) => -Math.log((1 + entry(others, i, v) * decoded[i * V + v]) / 2),
      );
      const rises = Array.from(decoded.subarray(i * V, (i + 1) * V), (y, v) =>
        Math.log((1 + entry(others, i, v) * y) / (1 - entry(others, i, v) * y)),
      ).sort((a, b) => b - a);
      total += costs.reduce((a, b) => a + b, 0) + Math.max(0, rises[0]) + Math.max(0, rises[1]);
    }
    expect(total / others.n).toBeLessThan(bound);
    expect(total / others.n).toBeGreaterThan(losses.reduce((a, b) => a + b, 0) / others.n);
  });

  it('fills in what it may, and no more of it is wrong than was allowed', async () => {
    const hidden = sliceRows(others, 0, 2000);
    const known = new Uint8Array(hidden.n * 3).map((_, k) => 255 & ~(1 << ((k * 7) % 8)));
    const wanting = { ...hidden, known } as typeof hidden;
    const wrongAt = async (wrong: number) => {
      const { values, filling } = await impute(calibrated, wanting, { wrong });
      let [missing, filled, errors] = [0, 0, 0];
      for (let k = 0; k < values.length; k++) {
        const [i, v] = [Math.floor(k / V), k % V];
        if (!Number.isNaN(entry(wanting, i, v))) continue;
        missing++;
        if (Number.isNaN(values[k])) continue;
        filled++;
        if (values[k] * entry(hidden, i, v) < 0) errors++;
      }
      return { filled: filled / missing, wrong: errors / Math.max(1, filled), filling };
    };
    const [strict, lax] = [await wrongAt(0.05), await wrongAt(0.2)];
    expect(lax.wrong).toBeLessThan(0.2);
    expect(strict.wrong).toBeLessThan(0.05);
    expect(lax.filled).toBeGreaterThan(strict.filled);
    expect(lax.filled).toBeGreaterThan(0.2);
    expect(lax.filling?.filled).toBeCloseTo(lax.filled, 0);
    const none = await impute(calibrated, wanting, { wrong: 1e-6 });
    expect(none.values.some((x) => Number.isNaN(x))).toBe(true);
  });

  it('is no more once it learned on', async () => {
    const next = await partialFit(calibrated, others);
    expect(next.calibration).toBeUndefined();
    expect(() => next.promise({ of: 'mean' })).toThrow('has no calibration');
    // What it had learned from is known as well as what it learned from since.
    for (const rows of [learning, others])
      await expect(calibrate(next, rows)).rejects.toThrow('learned from');
  });
});

describe('calibration', () => {
  it('refuses rows that were learned from, or that learning was stopped by', async () => {
    await expect(calibrate(model, learning)).rejects.toThrow('about 100% of these rows');
    await expect(calibrate(model, sliceRows(learning, 700, 900))).rejects.toThrow('learned from');
    const stopped = await fit(learning, { H, epochs: 2, validation: calibrating });
    await expect(calibrate(stopped, calibrating)).rejects.toThrow('learned from');
  });

  it('refuses them before any row is encoded', async () => {
    let encoded = 0;
    const onProgress = () => encoded++;
    await expect(calibrate(model, learning, { onProgress })).rejects.toThrow('learned from');
    expect(encoded).toBe(0);
  });

  it('is asked for a promise in words, where nothing is named', () => {
    expect(() => model.promise(undefined as never)).toThrow('of is one of mean, quantile');
  });

  it('refuses a loss that can be negative before any work, and says what leads to the same codes', async () => {
    const part = sliceRows(learning, 0, 200);
    const raised = (by: number) =>
      customLoss({
        name: 'raised',
        plus: (y) => (1 - y) ** 2 - 0.25 + by,
        minus: (y) => (1 + y) ** 2 - 0.25 + by,
      });
    const options = { H: 2, epochs: 2 };
    const negative = await fit(part, { ...options, loss: raised(0) });
    const onProgress = () => expect.fail('worked');
    await expect(calibrate(negative, calibrating, { onProgress })).rejects.toThrow(
      'with the loss "raised" an entry can cost -0.25, and promises are proven only for losses that are never negative; make one that adds 0.25 to both plus and minus',
    );
    const same = await fit(part, { ...options, loss: raised(0.25) });
    const [one, other] = [await negative.encode(calibrating), await same.encode(calibrating)];
    other.codes.forEach((code, i) => {
      expect(code).toBeCloseTo(one.codes[i], 2);
    });
    other.losses.forEach((loss, i) => {
      expect(loss).toBeCloseTo(one.losses[i] + 0.25 * V, 1);
    });
    const { losses } = await same.encode(others);
    const { bound } = (await calibrate(same, calibrating)).promise({ of: 'mean' });
    expect(bound).toBeGreaterThan(meanOf(losses));
  });

  it('refuses a stack, and says what to do', async () => {
    const stack = await fitStack(learning, { layers: [4, 2], epochs: 1 });
    await expect(calibrate(stack as unknown as PCAE, calibrating)).rejects.toThrow('evaluate it on rows');
  });

  it('takes rows that are often alike, of which some must have been seen', async () => {
    const few = lowRankRows(4000, 8, 4);
    const small = await fit(sliceRows(few, 0, 2000), { H: 1, epochs: 5 });
    expect(small.training.seen?.repeated).toBeGreaterThan(0.5);
    const { calibration } = await calibrate(small, sliceRows(few, 2000, 4000));
    expect(calibration?.n).toBe(2000);
  });

  it('by rows that were learned from promises the mean, which holds', async () => {
    const few = lowRankRows(30_000, 12, 5);
    const small = await fit(sliceRows(few, 0, 6000), { H: 2, epochs: 20 });
    const learned = await calibrate(small, sliceRows(few, 0, 6000), { learned: true });
    const { bound } = learned.promise({ of: 'mean' });
    const { lossWithEscape } = await small.evaluate(sliceRows(few, 6000, 30_000));
    expect(bound).toBeGreaterThan(lossWithEscape);
    expect(bound).toBeLessThan(12 * Math.LN2);
    expect(learned.calibration?.described?.gap).toBe(0.01);
    expect(() => learned.promise({ of: 'next row' })).toThrow('took no part in learning');
    expect(load(learned.save(), { as: PCAE }).promise({ of: 'mean' }).bound).toBe(bound);
  });

  it('is needed for promises, but not for the ceiling', async () => {
    expect(() => model.promise({ of: 'mean' })).toThrow('calibrate(model, rows)');
    expect(model.promise({ of: 'ceiling' }).bound).toBe(V * Math.LN2 + Math.log(1000));
    await expect(impute(model, others, { wrong: 0.1 })).rejects.toThrow('calibrate(model, rows)');
    await expect(calibrate(model, calibrating, { hide: 1 })).rejects.toThrow('hide must be');
  });
});

describe('the escape', () => {
  it('is a code that is read as even odds, for rows that no code describes', async () => {
    const strange = lowRankRows(50, V, 77);
    // A decoder that is far too sure of itself.
    const sure = new PCAE({ ...model, W: model.W.map((w) => 20 * w) });
    const plain = await sure.encode(strange);
    const { codes, losses } = await sure.encode(strange, { escape: true });
    const escaped = Array.from(codes).filter(Number.isNaN).length / H;
    expect(escaped).toBeGreaterThan(5);
    expect(Math.max(...plain.losses)).toBeGreaterThan(sure.ceiling());
    expect(Math.max(...losses)).toBeCloseTo(sure.ceiling(), 9);
    const decoded = await sure.decode(codes);
    for (let i = 0; i < strange.n; i++) {
      if (Number.isNaN(codes[i * H]))
        expect(decoded.subarray(i * V, (i + 1) * V).every((y) => y === 0)).toBe(true);
      else expect(losses[i]).toBeCloseTo(plain.losses[i] + 0.001, 4);
    }
    // Codes of bits leave such rows out in the same way.
    const ofBits = new PCAE({ ...sure, encoding: 'bits' });
    const signs = await ofBits.encode(strange, { escape: true });
    expect(Math.max(...signs.losses)).toBeCloseTo(sure.ceiling(), 9);
    const even = (await ofBits.decode(signs.codes)).filter((y) => y === 0).length / V;
    expect(even).toBe(Array.from(signs.codes).filter(Number.isNaN).length / H);
    expect(even).toBeGreaterThan(5);
    const report = await sure.evaluate(strange);
    expect(report.escaped).toBe(escaped);
    expect(report.lossWithEscape).toBeCloseTo(losses.reduce((a, b) => a + b, 0) / strange.n, 9);
  });

  it('costs a row the even odds of its known entries only, in encoding and in calibration', async () => {
    const sure = new PCAE({ ...model, W: model.W.map((w) => 20 * w) });
    // Two of the three bytes of each row are known.
    const strange = lowRankRows(50, V, 77);
    const known = new Uint8Array(strange.n * 3).map((_, k) => (k % 3 === 2 ? 0 : 255));
    const wanting = { ...strange, known } as typeof strange;
    const most = 16 * Math.LN2 + Math.log(1000);
    const { losses } = await sure.encode(wanting, { escape: true });
    expect(Math.max(...losses)).toBeCloseTo(most, 9);
    const { calibration } = await calibrate(sure, wanting, { hide: 0 });
    expect(calibration?.losses.at(-1)).toBeCloseTo(most, 5);
  });
});

import { describe, expect, it } from 'vitest';
import { meanBound } from '../../src/promises/mean.ts';
import { roundWeights, STEPS } from '../../src/promises/occam.ts';
import { broken, mostBroken, uniforms } from './sources.ts';

describe('weights that are described briefly', () => {
  it('are promised by the rows that chose them, however hard they chose', () => {
    // 400 coins as hypotheses, all with a mean loss of 1/2; learning takes the one that did best on 40 rows.
    const [hypotheses, n, times] = [400, 40, 500];
    const choose = (random: () => number) => {
      let best = new Float64Array(n).fill(1);
      for (let h = 0; h < hypotheses; h++) {
        const losses = Float64Array.from({ length: n }, () => (random() < 0.5 ? 1 : 0));
        if (total(losses) < total(best)) best = losses;
      }
      return best;
    };
    const bound = (losses: Float64Array, nats: number) => meanBound(losses, 1, Math.log(10) + nats);
    const honest = broken(times, 1, (random) => bound(choose(random), Math.log(hypotheses)) < 0.5);
    expect(honest).toBeLessThanOrEqual(mostBroken(times, 0.1));
    const naive = broken(times, 1, (random) => bound(choose(random), 0) < 0.5);
    expect(naive).toBeGreaterThan(0.5 * times);
  });

  it('have descriptions that leave room for all of them (Kraft)', () => {
    // One weight: sum e^-S over all multiples of all steps in reach.
    let sum = 0;
    const steps = STEPS.slice(6, 12);
    for (const step of steps) {
      for (let i = -400; i <= 400; i++) {
        const { W, nats } = roundWeights(Float32Array.of(i * step), 1, 1, step);
        expect(W[0]).toBe(i * step);
        sum += Math.exp(-nats);
      }
    }
    expect(sum).toBeLessThan(1);
    // Not wasteful either: six of 24 steps, one width of all with half of their share, one radius with half,
    // one rate of 32.
    expect(sum).toBeGreaterThan((6 / 24) * (1 / 2) * (1 / 2) * (1 / 32));
  });

  it('pay for the step, the width, a rate for each unit and how far codes reach, all chosen by the rows', () => {
    // Integers that are all 0 are cheapest at the smallest rate r, whose mean size 2 r / (1 - r^2) is 1/4.
    const r = 4 * (Math.sqrt(17 / 16) - 1);
    const integers = 12 * Math.log((1 + r) / (1 - r));
    const choices = Math.log(24) + Math.log(3 * 4) + 3 * Math.log(32) + Math.LN2;
    const natsAt = (radius: number) => roundWeights(new Float32Array(12), 3, radius, STEPS[5]).nats;
    expect(natsAt(1)).toBeCloseTo(choices + integers, 9);
    // Another radius than 1 is a float32.
    expect(natsAt(2) - natsAt(1)).toBeCloseTo(32 * Math.LN2, 9);
  });

  it('are multiples of the step, and take more room the finer they are', () => {
    const random = uniforms(8);
    const W = Float32Array.from({ length: 60 }, () => 8 * random() - 4);
    const found = STEPS.map((step) => roundWeights(W, 5, 2, step));
    found.forEach(({ W: rounded, nats }, k) => {
      rounded.forEach((w, i) => {
        expect(Number.isInteger(w / STEPS[k])).toBe(true);
        expect(Math.abs(w - W[i])).toBeLessThanOrEqual(STEPS[k] / 2);
      });
      if (k > 0) expect(nats).toBeGreaterThanOrEqual(found[k - 1].nats);
    });
    // A halved step is a bit for each weight.
    expect(found[22].nats - found[12].nats).toBeCloseTo(600 * Math.LN2, -1);
  });
});

function total(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

import { describe, expect, it } from 'vitest';
import { meanBound } from '../../src/promises/mean.ts';
import { descriptions } from '../../src/promises/occam.ts';
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
    const seen = new Map<number, number>();
    for (let j = 0; j < 6; j++) {
      for (let i = -400; i <= 400; i++) {
        const { nats, shift } = descriptions({ W: [i * 2 ** -j], width: 1, radius: 1, gap: 0 })[j];
        expect(shift).toBe(0);
        seen.set(j * 1000 + i, Math.exp(-nats));
      }
    }
    const sum = total(Float64Array.from(seen.values()));
    expect(sum).toBeLessThan(1);
    // Not wasteful either: six of 24 steps, one width of all with half of their share, one radius with half, the best of 32 rates.
    expect(sum).toBeGreaterThan((6 / 24) * (1 / 2) * (1 / 2) * (1 / 32));
  });

  it('move no loss by more than they say, and take more room the finer they are', () => {
    const random = uniforms(8);
    const W = Float64Array.from({ length: 60 }, () => 8 * random() - 4);
    const found = descriptions({ W, width: 5, radius: 2, gap: 0 });
    for (let j = 0; j < found.length; j++) {
      const step = 2 ** -j;
      const moved = W.reduce((sum, w) => sum + Math.abs(w - Math.round(w / step) * step), 0);
      expect(found[j].shift).toBeCloseTo(2 * moved, 9);
      if (j > 0) expect(found[j].nats).toBeGreaterThan(found[j - 1].nats);
    }
    // A halved step is a bit for each weight.
    expect(found[20].nats - found[10].nats).toBeCloseTo(600 * Math.LN2, -1);
  });
});

function total(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pace, paced } from '../../../src/training/loop/pace.ts';
import { holds } from '../../property.ts';

describe('the pace of progress', () => {
  it('is at most ten in any second, the first of each phase among them', () => {
    holds(
      fc.property(fc.array(fc.nat(200), { minLength: 1, maxLength: 400 }), (steps) => {
        let now = 0;
        const told: { at: number; phase: string }[] = [];
        const pace = new Pace<{ phase: string }>(
          ({ phase }) => told.push({ at: now, phase }),
          () => now,
        );
        const phases = ['start', 'ridge', 'learn', 'refine', 'finish'];
        steps.forEach((step, k) => {
          now += step;
          pace.report({ phase: phases[Math.floor((phases.length * k) / steps.length)] });
        });
        for (const { at } of told) {
          expect(told.filter((one) => one.at >= at && one.at < at + 1000).length).toBeLessThanOrEqual(10);
        }
        const heard = new Set(told.map(({ phase }) => phase));
        expect(heard.size).toBe(
          Math.min(
            phases.length,
            new Set(steps.map((_, k) => Math.floor((phases.length * k) / steps.length))).size,
          ),
        );
      }),
      { seed: 1 },
    );
  });

  it('lets nobody look where nobody listens, and tells of the end', () => {
    expect(new Pace(undefined).due('learn')).toBe(false);
    const told: number[] = [];
    const tell = paced(
      (fraction) => told.push(fraction),
      () => 0,
    );
    for (const fraction of [0.2, 0.4, 0.6, 1]) tell(fraction);
    expect(told).toEqual([0.2, 1]);
  });
});

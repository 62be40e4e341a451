import { describe, expect, it } from 'vitest';
import { Clock } from '../../../src/training/refine/clock.ts';
import { leftBefore } from '../../../src/training/seconds.ts';

/** A clock of its own, in seconds, on which work takes as long as is said. */
function world(budget: number) {
  const at = { now: 0 };
  const work = (seconds: number) => async () => {
    at.now += seconds;
  };
  return { at, work, left: () => budget - at.now, now: () => 1000 * at.now };
}

describe('the time that is left before codes are settled', () => {
  it('is less what was measured last, and a rise is believed when it is seen twice', async () => {
    const { at, left } = world(100);
    const measured = [50, 20, 21, 60, 22, 40, 41];
    const until = await leftBefore(left, async () => measured.shift()!);
    expect(until()).toBe(80);
    at.now = 10;
    expect(until()).toBe(70);
    for (const [expected, rest] of [
      [90 - 21, 4],
      [90 - 22, 2],
      [90 - 40, 0],
    ]) {
      await until.renew();
      expect([until(), measured.length]).toEqual([expected, rest]);
    }
  });

  it('is not looked at where there is none', async () => {
    const until = await leftBefore(
      () => -1,
      () => expect.fail('measured'),
    );
    expect(until()).toBe(-1);
  });
});

describe('the clock of steps', () => {
  it('has time for what fits before the end as work took when it was last done', async () => {
    const { at, work, left, now } = world(100);
    const until = await leftBefore(left, async () => 30);
    const clock = new Clock(until, { codes: 1, proof: 5 }, now);
    await clock.takeTwice('look', work(2));
    await clock.take('codes', work(8));
    expect(left() - 30).toBe(60);
    // Each of the seven takes eight, and another look two.
    expect(clock.fits(...new Array(7).fill('codes'))).toBe(true);
    expect(clock.fits(...new Array(7).fill('codes'), 'proof')).toBe(false);
    // The machine is less busy now.
    await clock.take('codes', work(4));
    expect(clock.fits(...new Array(11).fill('codes'), 'proof')).toBe(true);
    at.now = 68;
    expect(clock.fits()).toBe(false);
  });

  it('ends steps so that settling ends in time, at most one step early, however the cost of codes grows', async () => {
    for (const growth of [1, 1.05, 1.2]) {
      const { at, work, left, now } = world(100);
      let cost = 10;
      const until = await leftBefore(left, async () => cost);
      const clock = new Clock(until, { step: 2 }, now);
      while (clock.fits('step')) {
        await clock.take('step', work(2));
        cost = Math.min(40, cost * growth);
        await clock.renew();
      }
      at.now += cost;
      // What the last step adds to the cost of codes is not known before it.
      expect(at.now).toBeLessThanOrEqual(100 + cost - cost / growth);
      expect(at.now).toBeGreaterThanOrEqual(98);
    }
  });

  it('has time for everything where there is no limit', async () => {
    const clock = new Clock();
    expect([clock.limited, clock.fits('codes'), clock.laps()()]).toEqual([false, true, true]);
    await clock.renew();
  });
});

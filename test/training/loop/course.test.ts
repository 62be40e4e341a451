import { describe, expect, it } from 'vitest';
import { Course } from '../../../src/training/loop/course.ts';

/** A course on a clock of its own, in seconds. */
function course(epochs: number, budget: number) {
  const clock = { now: 0 };
  return { clock, run: new Course({ epochs, budget }, undefined, () => 1000 * clock.now) };
}

/** The shares of a run that takes `seconds` for all its epochs, seen five times until its budget ends it. */
function shares(seconds: number, epochs: number, budget: number): number[] {
  const { clock, run } = course(epochs, budget);
  return [0, 0.25, 0.5, 0.75, 1].map((part) => {
    clock.now = part * Math.min(seconds, budget);
    return run.share((epochs * clock.now) / seconds);
  });
}

describe('the course of a run', () => {
  it('goes by its epochs alone where they are what ends it, however slow the clock says it is at first', () => {
    expect(shares(10, 80, 1000)).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(shares(10, 80, 10)).toEqual([0, 0.25, 0.5, 0.75, 1]);
    const { clock, run } = course(100, 10);
    clock.now = 4.9;
    expect(run.share(1)).toBe(0.01);
    clock.now = 9.9;
    expect(run.share(99)).toBe(0.99);
    expect(run.byTime).toBe(false);
  });

  it('goes by the clock from half of the time on where that is clearly going to end it', () => {
    expect(shares(20, 80, 10)).toEqual([0, 0.125, 0.25, 0.625, 1]);
    const { clock, run } = course(100, 10);
    clock.now = 5;
    run.share(10);
    expect(run.byTime).toBe(true);
    // It stays so, and so does a run that goes on from there.
    clock.now = 7.5;
    expect(run.share(90)).toBeCloseTo(0.1 + 0.9 * 0.5, 12);
    const resumed = new Course({ epochs: 100, budget: 10 }, run.state, () => 0);
    expect(resumed.byTime).toBe(true);
    expect(resumed.share(90)).toBeCloseTo(0.1 + 0.9 * 0.5, 12);
    expect(resumed.seconds).toBe(7.5);
  });

  it('goes by the clock alone where nothing else ends it, from when passes began to what has to be left', () => {
    const { clock, run } = course(Number.POSITIVE_INFINITY, 10);
    clock.now = 2;
    run.begin();
    expect(run.share(7)).toBe(0);
    clock.now = 4;
    expect(run.share(7)).toBe(0.25);
    run.leave(4);
    expect(run.deadline).toBe(6);
    expect(run.share(7)).toBe(0.5);
    expect(run.over).toBe(false);
    clock.now = 6;
    expect(run.over).toBe(true);
    expect(run.byTime).toBe(true);
  });

  it('aims to end a little early, and may end late, within two seconds or a twentieth', () => {
    for (const [budget, slack] of [
      [25, 2],
      [300, 15],
      [1, 0.2],
    ]) {
      const { run } = course(Number.POSITIVE_INFINITY, budget);
      expect(run.early).toBeCloseTo(slack / 4, 12);
      expect(run.late).toBeCloseTo((3 * slack) / 4, 12);
    }
    const { run } = course(10, Number.POSITIVE_INFINITY);
    expect([run.early, run.late, run.deadline]).toEqual([0, 0, Number.POSITIVE_INFINITY]);
  });
});

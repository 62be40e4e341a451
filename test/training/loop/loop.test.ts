import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { createEngine } from '../../../src/engine/node/index.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import { customLoss } from '../../../src/math.ts';
import { fit } from '../../../src/model/fit.ts';
import type { Checkpoint } from '../../../src/training/checkpoint/checkpoint.ts';
import { learn } from '../../../src/training/loop/loop.ts';
import type { Progress } from '../../../src/training/loop/progress.ts';
import { type Outside, Run } from '../../../src/training/loop/run.ts';
import type { Seen, Trainer, TrainerState } from '../../../src/training/loop/trainer.ts';
import { stoppedAfter } from '../stopped.ts';
import { toyRows } from '../toy.ts';

const VISITS = 4;

/** Counts instead of learning: four visits an epoch, a loss that halves, held-out losses as they are told. */
class Counter implements Trainer {
  epoch = 0;
  visit = 0;
  best: number | undefined;
  readonly validation: readonly (number | undefined)[];
  onVisit: (() => void) | undefined;
  failing = false;
  ended = 0;

  constructor(validation: readonly (number | undefined)[] = []) {
    this.validation = validation;
  }

  get share(): number {
    return this.visit / VISITS;
  }
  rate(): number {
    return 1;
  }
  async *visits(): AsyncGenerator<number> {
    while (this.visit < VISITS) {
      this.visit++;
      this.onVisit?.();
      yield 10;
    }
  }
  async visitedLoss(): Promise<number> {
    return 2 ** -this.epoch;
  }
  async endEpoch(): Promise<Seen> {
    const loss = await this.visitedLoss();
    if (this.failing) throw new Error('no room');
    this.epoch++;
    this.visit = 0;
    return { loss, rate: 1, validation: this.validation[this.epoch - 1] };
  }
  judge({ loss }: { readonly loss: number }): number {
    return loss;
  }
  async note({ validation }: Seen): Promise<boolean | undefined> {
    if (validation === undefined) return undefined;
    const better = this.best === undefined || validation < this.best;
    if (better) this.best = validation;
    return better;
  }
  async end(): Promise<void> {
    this.ended++;
  }
  async snapshot(): Promise<TrainerState> {
    return { arrays: {}, state: { epoch: this.epoch, visit: this.visit } };
  }
  restore({ state }: TrainerState): void {
    Object.assign(this, state);
  }
}

const engine = referenceEngine();
const forever = { epochs: 5, timeBudget: Number.POSITIVE_INFINITY };
const patient = { minImprovement: 0, patience: Number.POSITIVE_INFINITY };

function counting(trainer: Counter, outside: Outside = {}, ending = patient, limits = forever) {
  return learn(trainer, new Run(engine, limits, outside), ending);
}

describe('the loop', () => {
  it('ends by epochs, too small an improvement, patience or time, whichever comes first', async () => {
    const whole = new Counter();
    const { stopped, history } = await counting(whole);
    expect({ stopped, epochs: history.map(({ epoch }) => epoch) }).toEqual({
      ...{ stopped: 'epochs', epochs: [1, 2, 3, 4, 5] },
    });
    expect(whole.ended).toBe(1);
    // Each epoch halves the loss: what it falls by is as much as is left.
    expect((await counting(new Counter(), {}, { ...patient, minImprovement: 1.1 })).stopped).toBe(
      'converged',
    );
    expect((await counting(new Counter(), {}, { ...patient, minImprovement: 0.9 })).stopped).toBe('epochs');
    const held = new Counter([3, undefined, 4, 5, 1]);
    const late = await counting(held, {}, { minImprovement: 0, patience: 2 });
    expect([late.stopped, late.history.length]).toEqual(['validation', 4]);
    const timed = await counting(new Counter(), {}, patient, { epochs: 5, timeBudget: 1e-9 });
    expect([timed.stopped, timed.history.length]).toEqual(['time', 1]);
  });

  it('rejects with the reason of an abort after the visit that heard of it, and saves where that was', async () => {
    const stop = new AbortController();
    const trainer = new Counter();
    let visits = 0;
    trainer.onVisit = () => {
      if (++visits === 6) stop.abort('enough');
    };
    const saved: Checkpoint[] = [];
    const checkpoint = { every: 1e9, save: async (taken: Checkpoint) => void saved.push(taken) };
    await expect(counting(trainer, { signal: stop.signal, checkpoint })).rejects.toBe('enough');
    expect(visits).toBe(6);
    expect(saved.map(({ progress }) => progress.state)).toEqual([{ epoch: 1, visit: 2 }]);
    const going = new Counter();
    let rest = 0;
    going.onVisit = () => void rest++;
    const { history } = await counting(going, { resume: saved[0] });
    expect(rest).toBe(5 * VISITS - 6);
    expect(history.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4, 5]);
    expect(history[4].seconds).toBeGreaterThanOrEqual(saved[0].progress.seconds);
  });

  it('ends like any other run at an abort where a partial result is asked for', async () => {
    const stop = new AbortController();
    const trainer = new Counter();
    trainer.onVisit = () => trainer.epoch === 2 && stop.abort();
    const { stopped, history } = await counting(trainer, { signal: stop.signal, partial: true });
    expect([stopped, history.length, trainer.ended]).toEqual(['aborted', 2, 1]);
  });

  it('saves at the end of learning, from where nothing is learned again', async () => {
    const saved: Checkpoint[] = [];
    const checkpoint = { every: 1e9, save: async (taken: Checkpoint) => void saved.push(taken) };
    await counting(new Counter([3, 4]), { checkpoint }, { minImprovement: 0, patience: 1 });
    expect(saved).toHaveLength(1);
    const again = new Counter();
    again.onVisit = () => expect.fail('a visit');
    const { stopped, history } = await counting(again, { resume: saved[0] });
    expect([stopped, history.length]).toEqual(['validation', 2]);
  });

  it('has its time budget anew where it is resumed', async () => {
    const saved: Checkpoint[] = [];
    const checkpoint = { every: 1e9, save: async (taken: Checkpoint) => void saved.push(taken) };
    await counting(new Counter([3, 4]), { checkpoint }, { minImprovement: 0, patience: 1 });
    const progress = { ...saved[0].progress, seconds: 50, stopped: undefined };
    const limits = { epochs: 10, timeBudget: 20 };
    const { course } = new Run(engine, limits, { resume: { ...saved[0], progress } });
    expect(course.over).toBe(false);
    expect(course.deadline).toBe(70);
  });

  it('looks again before it ends by time: what it looked at may have been a slow moment', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    try {
      const looks = [1e6, 0.01];
      const trainer = Object.assign(new Counter(), { finishSeconds: async () => looks.shift() ?? 0.01 });
      trainer.onVisit = () => {
        now += 10;
      };
      const run = new Run(engine, { epochs: 15, timeBudget: 1 }, {});
      expect((await learn(trainer, run, patient)).stopped).toBe('epochs');
      expect(looks).toEqual([]);
    } finally {
      clock.mockRestore();
    }
  });

  it('gives failures that are no abort as they are, also after one', async () => {
    const trainer = new Counter();
    trainer.failing = true;
    await expect(counting(trainer)).rejects.toThrow('no room');
    const stop = new AbortController();
    const both = new Counter();
    both.failing = true;
    both.endEpoch = async () => {
      stop.abort();
      throw new Error('no room');
    };
    await expect(counting(both, { signal: stop.signal })).rejects.toThrow('no room');
  });

  it('reports rows per second of its own stretch, and of each phase at least once', async () => {
    const told: number[] = [];
    const run = await counting(new Counter(), {
      onProgress: ({ rowsPerSecond, fraction }) => told.push(rowsPerSecond, fraction),
    });
    expect(run.stopped).toBe('epochs');
    expect(told.length).toBeGreaterThan(0);
    expect(told[0]).toBeGreaterThan(0);
    expect(told[1]).toBe(1 / 20);
  });
});

/** A loss may be any number: here five less than the squared one. */
const negative = customLoss({
  name: 'below zero',
  plus: (y) => ((1 - y) / 2) ** 2 - 5,
  minus: (y) => ((1 + y) / 2) ** 2 - 5,
});

describe('a run of learning', () => {
  const rows = toyRows(300);
  let fast: Engine;
  beforeAll(async () => {
    fast = await createEngine({ threads: 1 });
  });
  afterAll(() => fast.close());

  it('tells how far rounds and proofs have come after the last epoch', async () => {
    const told: Progress[] = [];
    // As if every report came a second after the one before.
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
    try {
      await fit(toyRows(5000), { H: 2, epochs: 2, engine: fast, onProgress: (one) => told.push(one) });
    } finally {
      vi.restoreAllMocks();
    }
    const of = (phase: Progress['phase']) => told.filter((one) => one.phase === phase);
    const rounds = of('refine');
    expect(rounds.length).toBeGreaterThan(4);
    expect(rounds.at(-1)!.loss).toBeLessThan(rounds[1].loss);
    const codes = of('finish').map(({ fraction }) => fraction);
    expect(codes.at(0)).toBeLessThan(1);
    expect(codes.at(-1)).toBe(1);
    expect(codes).toEqual(codes.toSorted((a, b) => a - b));
    expect(told.at(-1)!.phase).toBe('finish');
  });

  it.each(['box', 'bits'] as const)(
    'ends by its least improvement where losses are negative: %s',
    async (encoding) => {
      const options = { H: 3, encoding, epochs: 60, minImprovement: 0.01, certify: false, engine: fast };
      const { training } = await fit(rows, { ...options, loss: negative });
      expect(training.loss).toBeLessThan(0);
      expect(training.stopped).toBe('converged');
    },
  );

  it.each([
    ['fast', { H: 3, epochs: 6 }],
    ['bits', { H: 3, encoding: 'bits', epochs: 12 }],
    ['paper', { H: 3, algorithm: 'paper', epochs: 6 }],
  ] as const)('adds seconds and epochs up over its stretches: %s', async (_, given) => {
    const options = { ...given, engine: fast, certify: false };
    const resume = await stoppedAfter(9, rows, options);
    // As if the first stretch had taken long.
    const progress = { ...resume.progress, seconds: 5000 };
    const { training } = await fit(rows, { ...options, resume: { ...resume, progress } });
    expect(training.seconds).toBeGreaterThan(5000);
    expect(training.seconds).toBeLessThan(6000);
    expect(training.epochs).toBe(given.epochs);
    expect(training.history.at(-1)?.seconds).toBeGreaterThan(5000);
  });

  it('refuses a checkpoint whose arrays are not those of the run', async () => {
    const options = { H: 3, epochs: 6, engine: fast, certify: false };
    const resume = await stoppedAfter(9, rows, options);
    const { arrays, progress } = resume;
    for (const [wrong, message] of [
      [{ arrays: { ...arrays, W: undefined } }, /another run: W is absent there, 784 finite numbers here/],
      [{ arrays: { ...arrays, E: new Float32Array(3) } }, /E is 3 numbers there/],
      [{ arrays: { ...arrays, first: arrays.first?.map(() => Number.NaN) } }, /first is 784 numbers there/],
      [{ arrays: { ...arrays, curvature: new Float32Array(196) } }, /curvature/],
      [{ progress: { ...progress, state: { epoch: -1 } } }, /the state of learning has other parts there/],
      [{ progress: { ...progress, seconds: undefined } }, /resume must be a checkpoint/],
      [{ progress: { ...progress, history: [{}] } }, /resume must be a checkpoint/],
    ] as const) {
      const crafted = { ...resume, ...wrong } as Checkpoint;
      await expect(fit(rows, { ...options, resume: crafted })).rejects.toThrow(message);
    }
  });

  it('notices any other row, and any entry that is no longer known', async () => {
    const options = { H: 3, epochs: 2, codes: 'recompute', engine: fast, certify: false } as const;
    const many = toyRows(1500);
    const known = new Uint8Array(many.bits.length).fill(255);
    const missing = { ...many, known };
    const resume = await stoppedAfter(2, missing, options);
    const last = many.bits.length - 3;
    const changed = [
      { ...missing, bits: many.bits.with(last, many.bits[last] ^ 1) },
      { ...missing, known: known.with(last, 254) },
    ];
    for (const other of changed) {
      await expect(fit(other, { ...options, resume })).rejects.toThrow(
        /another run: checksum of all rows is .* there, .* here/,
      );
    }
    expect((await fit(missing, { ...options, resume })).training.epochs).toBe(2);
  });
});

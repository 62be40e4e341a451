import { type Engine, type Floats, type Point, WIDE } from '../../engine/engine.ts';
import { sum } from '../../rows/sum.ts';
import type { TrainingData } from '../data.ts';
import { MOST_REFINED, SETTLED } from '../defaults.ts';
import type { FastTrainer } from '../fast.ts';
import { lookAt } from '../look.ts';
import type * as Limited from '../seconds.ts';
import type { Left } from '../seconds.ts';
import type { Settings } from '../settings.ts';
import type { Told } from '../settle.ts';
import type { Rounds } from './alternate.ts';
import { Clock } from './clock.ts';
import { bends, isPlain, proves, refines } from './whether.ts';

/**
 * Newton's rounds over all rows at the end of learning. A minibatch brings its codes only near their optimum,
 * and one step on W per minibatch is as good as the minibatch is; a few steps of second order on everything
 * are worth more than most of the epochs (docs/notes/newton-rounds.md has the measurements). They end with W
 * alone, for the codes as they are: that problem is convex, and W is proven to be close to its optimum.
 */
export async function refine(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: RefineSettings,
): Promise<{ readonly weightGap?: number }> {
  const { validate, left } = settings;
  // W takes its steps from all rows at once.
  if (!engine.newtonian(settings.loss, settings.H) || data.blockRows < data.n) return {};
  if (isPlain(settings) && !bends(settings))
    return { weightGap: await proveLearned(engine, data, trainer, settings) };
  if (!refines(settings)) return {};
  const step = left ? await passSeconds(engine, data, trainer, settings) : 0;
  if (left && left() < ROUND * step) return {};
  for await (const { block, rowWeights } of data.blocks()) {
    const { shape, W, E, loss } = trainer;
    const weights = { rowWeights: rowWeights?.floats, columnWeights: data.columnWeights?.floats };
    const at = { block, shape, W, E, loss, ...weights };
    const decrements = engine.floats(Math.max(data.n, data.V));
    try {
      const kept =
        left &&
        withBends(left, async () => {
          trainer.bends.write((await lookAt(engine, at, LOOKED)).curvature);
        });
      const clock = new Clock(kept, { codes: step, weights: step, proof: PROOF_PASSES * step });
      const before = validate && {
        W: await W.read(),
        E: await E.read(),
        curvature: await trainer.bends.read(),
        loss: await clock.takeTwice('validation', validate),
      };
      const weightGap = await improve({ engine, at, trainer, settings, decrements, clock });
      trainer.bends.write((await lookAtAll(engine, at)).curvature);
      if (!before || (await validate()) <= before.loss) return { weightGap };
      W.write(before.W);
      E.write(before.E);
      trainer.bends.write(before.curvature);
      return { weightGap: settings.certify ? await ridgedGap(engine, at, settings.ridge) : undefined };
    } finally {
      decrements.free();
    }
  }
  return {};
}

export interface RefineSettings extends Settings {
  /**
   * The mean loss of rows held out, under the trainer's weights: refined weights are kept where it does not
   * rise.
   */
  readonly validate?: () => Promise<number>;
  /** Where time is limited: the seconds that are left for it. */
  readonly left?: Left;
  readonly report?: Told;
}

/**
 * The proof of weights that no round has refined, at the codes that learning ended with. They move towards
 * the best weights for these codes, unless rows held out lose by it.
 */
export async function proveLearned(
  engine: Engine,
  data: TrainingData,
  trainer: Pick<FastTrainer, 'shape' | 'W' | 'E' | 'loss'>,
  settings: RefineSettings,
): Promise<number | undefined> {
  const { shape, W, E, loss } = trainer;
  const { certify, ridge, left, validate } = settings;
  if (!certify || !engine.newtonian(loss, shape.H) || !proves(data, settings)) return undefined;
  if (left && left() < (await secondsOf(engine, data, trainer, settings))) return undefined;
  for await (const { block, rowWeights } of data.blocks()) {
    const weights = { rowWeights: rowWeights?.floats, columnWeights: data.columnWeights?.floats };
    const at = { block, shape, W, E, loss, ...weights };
    if (shape.V >= WIDE) return ridgedGap(engine, at, ridge);
    const inTime = left && (() => left() > 0);
    return (await import('./approach.ts')).approachFrom(engine, at, { ridge, inTime, validate });
  }
}

/** What it would take is looked at where time is limited. */
async function secondsOf(...of: Parameters<typeof Limited.refineSeconds>): Promise<number> {
  return (await import('../seconds.ts')).refineSeconds(...of);
}

async function passSeconds(...of: Parameters<typeof Limited.passSeconds>): Promise<number> {
  return (await import('../seconds.ts')).passSeconds(...of);
}

/** Proofs are loaded when there is something to prove. */
async function ridgedGap(engine: Engine, at: Point, ridge: number): Promise<number> {
  return (await import('./proof.ts')).ridgedGap(engine, at, ridge);
}

interface Work {
  readonly engine: Engine;
  readonly at: Point;
  readonly trainer: FastTrainer;
  readonly settings: RefineSettings;
  /** Room for one number per row or bit. */
  readonly decrements: Floats;
  readonly clock: Clock;
}

/**
 * The same, with the curvature that codes will be settled with looked at before it is measured how long that
 * takes.
 */
function withBends(left: Left, look: () => Promise<void>): Left {
  const renew = async () => {
    await look();
    await left.renew();
  };
  return Object.assign(() => left(), { renew });
}

/** The rounds; gives the proof of W that they end with, where one was asked for and there was time. */
async function improve({
  engine,
  at,
  trainer,
  settings,
  decrements,
  clock,
}: Work): Promise<number | undefined> {
  const { ridge, certify, report } = settings;
  const options = { ridge, decrements, move: true };
  const { loss } = await clock.takeTwice('look', () => lookAtAll(engine, at));
  const wide = at.shape.V >= WIDE;
  if (loss < SETTLED || at.shape.H > MOST_REFINED) {
    if (!certify) return undefined;
    // Steps that a sample steers end further from the optimum than is asked.
    if (wide) return ridgedGap(engine, at, ridge);
    const [{ approach }, { renewCodes }] = await Promise.all([import('./approach.ts'), import('./stale.ts')]);
    await renewCodes(engine, at, ridge, await trainer.precondition());
    return approach(engine, at, { ridge, room: decrements, free: true, inTime: clock.laps() });
  }
  const { alternate } = await import('./alternate.ts');
  // What is left of a limited time goes into more rounds, as long as weights can still be proven after them.
  await alternate(engine, at, ridge, wide ? WIDE_ROUNDS : ROUNDS, clock, report);
  // A proof of so many bits is as good as float32 weights can be when it is first made: more steps change
  // nothing.
  const near = engine.bounds ? NEAR : CLOSE;
  const [close, proven] = wide ? [WIDE_CLOSE, Number.POSITIVE_INFINITY] : [near, PROVEN];
  let gap: number | undefined;
  let before = Number.POSITIVE_INFINITY;
  for (let step = 0; step < WEIGHT_STEPS && !(gap! <= proven) && clock.fits('weights'); step++) {
    await clock.take('weights', async () => {
      await engine.newton('weights', at, options);
      await clock.renew();
    });
    const promised = sum(await decrements.read(0, at.shape.V));
    // What no longer falls is as close as float32 weights come.
    const settled = promised <= AT_REST && promised > 0.5 * before;
    if (promised <= close || settled) {
      if (!clock.fits('proof')) return undefined;
      gap = certify ? await clock.take('proof', () => ridgedGap(engine, at, ridge)) : 0;
    }
    before = promised;
  }
  return certify ? gap : undefined;
}

/** What all rows tell: of a wide table, its first ones. */
function lookAtAll(engine: Engine, at: Point) {
  return lookAt(engine, at, at.shape.V < WIDE ? undefined : LOOKED);
}

/** Rows that tell the mean curvature of a wide table: they come shuffled. */
const LOOKED = 2048;

export const ROUNDS: Rounds = { most: 4, enough: 0, carried: [1, 1.5, 2] };
/**
 * In a wide table they do nearly all of the learning, and are many: carried further each time, W would be
 * carried away.
 */
export const WIDE_ROUNDS: Rounds = { most: 12, enough: 6e-3, carried: [0.5, 0.7, 0.9, 1] };
/**
 * Steps on W alone, at most; what a step promises, in nats, before it is worth proving (the proof is about
 * three times that).
 */
const WEIGHT_STEPS = 12;
const CLOSE = 0.002;
/** The same on a device, where a step is cheap and a proof has to be finished elsewhere. */
const NEAR = 2e-4;
const AT_REST = 0.02;
/**
 * Of a wide table, whose loss is hundreds of nats: the step after which so little was promised leaves a tenth
 * of it.
 */
const WIDE_CLOSE = 0.2;
/** Steps on all of W after the rounds, the proof counted in. */
export const MORE_PASSES = 5;
/** What a proof takes, in Newton's steps on all codes, before the first one was made. */
export const PROOF_PASSES = 2;
/** The proof to end with. */
const PROVEN = 0.005;

/** Steps for which it is worth beginning: the first round gains most. */
const ROUND = 2;

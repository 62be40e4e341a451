import { type Engine, type Floats, type Point, WIDE } from '../../engine/engine.ts';
import { sum } from '../../rows/sum.ts';
import type { TrainingData } from '../data.ts';
import { MOST_REFINED, SETTLED } from '../defaults.ts';
import type { FastTrainer } from '../fast.ts';
import { lookAt } from '../look.ts';
import type { Left } from '../seconds.ts';
import type { Settings } from '../settings.ts';
import type { ReportEnding } from '../settle.ts';
import type { Rounds } from './alternate.ts';
import { Clock } from './clock.ts';
import { bends, isPlain, proves, refines } from './whether.ts';

/**
 * Newton's rounds over all rows at the end of learning. Minibatches leave codes near their optimum, not at
 * it, and a step on W sees one minibatch alone; a few steps of second order on all rows are worth more than
 * most of the epochs (docs/notes/newton-rounds.md). The last steps move W alone: for fixed codes that problem
 * is convex (Thm. 1), and W is proven to be close to its optimum. Returns how close, if it was proven.
 */
export async function refine(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: RefineSettings,
): Promise<number | undefined> {
  const { validate, left } = settings;
  // Newton's step on W needs all rows in one block.
  if (!engine.newtonian(settings.loss, settings.H) || data.blockRows < data.n) return undefined;
  if (isPlain(settings) && !bends(settings)) return proveLearned(engine, data, trainer, settings);
  if (!refines(settings)) return undefined;
  const step = left ? await (await import('../seconds.ts')).passSeconds(engine, data, trainer, settings) : 0;
  if (left && left() < ROUND * step) return undefined;
  const { W, E } = trainer;
  for await (const placed of data.blocks()) {
    const at = trainer.point(placed);
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
      if (!before || (await validate()) <= before.loss) return weightGap;
      W.write(before.W);
      E.write(before.E);
      trainer.bends.write(before.curvature);
      return settings.certify ? await ridgedGap(engine, at, settings.ridge) : undefined;
    } finally {
      decrements.free();
    }
  }
  return undefined;
}

interface RefineSettings extends Settings {
  /** The mean loss of validation rows under the trainer's weights. If it rises, the old weights are kept. */
  readonly validate?: () => Promise<number>;
  /** If time is limited: the seconds that are left for rounds and proofs. */
  readonly left?: Left;
  readonly report?: ReportEnding;
}

/**
 * Proves weights without rounds, at the codes that learning ended with. The weights first move towards the
 * best ones for these codes, unless that raises the loss of validation rows.
 */
export async function proveLearned(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: RefineSettings,
): Promise<number | undefined> {
  const { shape, loss } = trainer;
  const { certify, ridge, left, validate } = settings;
  if (!certify || !engine.newtonian(loss, shape.H) || !proves(data, settings)) return undefined;
  if (left) {
    const { refineSeconds } = await import('../seconds.ts');
    if (left() < (await refineSeconds(engine, data, trainer, settings))) return undefined;
  }
  for await (const placed of data.blocks()) {
    const at = trainer.point(placed);
    // Awaited here, because a block of a source is freed when this loop is left.
    if (shape.V >= WIDE) return await ridgedGap(engine, at, ridge);
    const inTime = left && (() => left() > 0);
    return await (await import('./approach.ts')).approachFrom(engine, at, { ridge, inTime, validate });
  }
}

/** Loads the proof on first use. */
async function ridgedGap(engine: Engine, at: Point, ridge: number): Promise<number> {
  return (await import('./proof.ts')).ridgedGap(engine, at, ridge);
}

interface Work {
  readonly engine: Engine;
  readonly at: Point;
  readonly trainer: FastTrainer;
  readonly settings: RefineSettings;
  /** Storage for one number per row or bit. */
  readonly decrements: Floats;
  readonly clock: Clock;
}

/**
 * The time left, whose `renew` first measures the curvature at the present weights: it preconditions the
 * final codes, and so decides how long they take.
 */
function withBends(left: Left, look: () => Promise<void>): Left {
  const renew = async () => {
    await look();
    await left.renew();
  };
  return Object.assign(() => left(), { renew });
}

/** Runs the rounds. Returns the proof of W that they end with, if one was asked for and there was time. */
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
    // In a wide table steps go by a sample of the entries, and would end too far from the optimum.
    if (wide) return ridgedGap(engine, at, ridge);
    const [{ approach }, { renewCodes }] = await Promise.all([import('./approach.ts'), import('./stale.ts')]);
    await renewCodes(engine, at, ridge, await trainer.precondition());
    const inTime = clock.laps();
    return (await approach(engine, at, { ridge, room: decrements, free: true, inTime }))?.gap;
  }
  const { alternate } = await import('./alternate.ts');
  // Spare time goes into more rounds, as long as enough is left to prove the weights afterwards.
  await alternate(engine, at, ridge, wide ? WIDE_ROUNDS : ROUNDS, clock, report);
  const close = wide ? WIDE_CLOSE : engine.bounds ? NEAR : CLOSE;
  // In a wide table the first proof is as good as float32 weights allow: more steps change nothing.
  const proven = wide ? Number.POSITIVE_INFINITY : PROVEN;
  let gap: number | undefined;
  let before = Number.POSITIVE_INFINITY;
  for (let step = 0; step < WEIGHT_STEPS && clock.fits('weights'); step++) {
    if (gap !== undefined && gap <= proven) break;
    await clock.take('weights', async () => {
      await engine.newton('weights', at, options);
      await clock.renew();
    });
    const promised = sum(await decrements.read(0, at.shape.V));
    // If it no longer falls, float32 weights cannot come closer.
    const settled = promised <= AT_REST && promised > 0.5 * before;
    if (promised <= close || settled) {
      if (!clock.fits('proof')) return undefined;
      gap = certify ? await clock.take('proof', () => ridgedGap(engine, at, ridge)) : 0;
    }
    before = promised;
  }
  return certify ? gap : undefined;
}

/** Loss and curvature over all rows, or over the first ones of a wide table. */
function lookAtAll(engine: Engine, at: Point) {
  return lookAt(engine, at, at.shape.V < WIDE ? undefined : LOOKED);
}

/** Rows of a wide table that are measured: the first ones, because rows are shuffled. */
const LOOKED = 2048;

export const ROUNDS: Rounds = { most: 4, enough: 0, carried: [1, 1.5, 2] };
/** In a wide table the rounds do nearly all of the learning. They are many, so W is carried less far. */
export const WIDE_ROUNDS: Rounds = { most: 12, enough: 6e-3, carried: [0.5, 0.7, 0.9, 1] };
/** The most steps on W alone after the rounds. */
const WEIGHT_STEPS = 12;
/**
 * W is proven once the next step is expected to gain less than this, in nats per row; the proven gap is then
 * about three times as large.
 */
const CLOSE = 0.002;
/** The same on a device, where steps are cheap, and what it cannot prove is proven on the processor. */
const NEAR = 2e-4;
/** The same in a wide table, whose loss is hundreds of nats; the gap is then about a tenth of this. */
const WIDE_CLOSE = 0.2;
/** Below this expected gain, W is also proven if the gain has stopped falling. */
const AT_REST = 0.02;
/** Steps on W end once its gap is proven to be at most this. */
const PROVEN = 0.005;
/** The usual cost of these steps with their proof, in Newton's steps on all codes. */
export const MORE_PASSES = 5;
/** The cost that is assumed for the first proof, in the same unit. */
export const PROOF_PASSES = 2;

/** The least time to begin with, in the same unit: one round, which gains most. */
const ROUND = 2;

import * as z from 'zod/mini';
import { type Block, type Engine, type Floats, floatsOf, type Shape } from '../engine/engine.ts';
import type { Loss } from '../losses/loss.ts';
import { type Rows, sliceRows, takeRows } from '../rows/rows.ts';
import { permutation } from '../rows/split.ts';
import { sum } from '../rows/sum.ts';
import { gaussians } from '../solvers/gaussians.ts';
import { stateOf } from './checkpoint/check.ts';
import { fingerprintOf } from './checkpoint/fingerprint.ts';
import { restored } from './checkpoint/restored.ts';
import { residentData } from './data.ts';
import { PAPER } from './defaults.ts';
import type { FitResult } from './fit.ts';
import { lookAt } from './look.ts';
import { learn } from './loop/loop.ts';
import type { Run } from './loop/run.ts';
import type { Seen, Trainer, TrainerState } from './loop/trainer.ts';
import { settleSeconds } from './seconds.ts';
import type { Settings } from './settings.ts';
import { settle } from './settle.ts';

/** Learns as the paper's experiments did. The engine's scope frees what is left in its memory. */
export async function fitPaper(rows: Rows, settings: Settings, run: Run): Promise<FitResult> {
  if (run.identified) run.identify(await fingerprintOf(settings, { rows }));
  const { engine, course } = run;
  const { n } = rows;
  const { H, seed, loss } = settings;
  const data = residentData(engine, rows, seed);
  const trainer = new PaperTrainer(run.visiting, rows, settings, async ({ shape, W, radius }) => {
    const curvature = await measureCurvature(engine, rows, trainer, loss);
    const learnt = { shape, W, curvature };
    return settleSeconds(engine, data, learnt, { ...settings, radius });
  });
  run.report({ phase: 'start', fraction: 0, epoch: 0, loss: Number.NaN });
  const { history, stopped } = await learn(trainer, run, { ...settings, patience: Number.POSITIVE_INFINITY });
  const seen = history.at(-1)?.loss ?? Number.NaN;
  run.report({ phase: 'finish', fraction: 1, epoch: trainer.epoch, loss: seen });
  const { shape, W, radius } = trainer;
  const { engine: ending, certify, left, late } = run.finishing(stopped);
  const curvature = await measureCurvature(ending, rows, trainer, loss);
  trainer.free();
  const fitted = await settle(
    ending,
    data,
    { shape, W, E: ending.floats(n * H), curvature },
    {
      loss,
      keepCodes: true,
      warm: false,
      certify: settings.certify && certify,
      left,
      late,
      radius: Number.isFinite(radius) ? radius : REAL_RADIUS,
    },
  );
  return { ...fitted, n, settings, history, stopped, converged: false, seconds: course.seconds };
}

/**
 * Algorithm 1 as the paper's experiments ran it: W from N(0, 1); in epoch t one fresh minibatch of 250 rows,
 * encoded by 35 t steps of Adagrad and then decoded by 35 t steps on W, both with step length 0.3 and with
 * accumulators that start at 0.1 and live on from epoch to epoch. Kept as the faithful reproduction and as
 * the yardstick.
 *
 * The author's published program and the paper's text differ in how a minibatch is encoded:
 *
 * - 'paper' is the program: codes start once, at N(0, 1), and are carried on to the next minibatch, although
 *   its rows are others, and into testing (`paperEncode`). Their gradient is that of the mean over the
 *   minibatch, G = W^T R / n.
 * - 'paper-text' is the text: Enc is a function of the row alone (Prop. 2), so the codes of each minibatch
 *   start at 0, and the gradient is that of each row's own problem.
 *
 * A visit is 35 of these steps: epoch t has t visits that encode and t that decode.
 */
class PaperTrainer implements Trainer {
  readonly shape: Shape;
  readonly radius: number;
  readonly W: Floats;
  epoch = 0;
  /** Finished visits of this epoch. */
  #visit = 0;
  readonly #engine: Engine;
  readonly #rows: Rows;
  readonly #settings: Settings;
  readonly #finish: (trainer: PaperTrainer) => Promise<number>;
  readonly #E: Floats;
  readonly #sums: { readonly codes: Floats; readonly weights: Floats };
  readonly #losses: Floats;

  constructor(
    engine: Engine,
    rows: Rows,
    settings: Settings,
    finishSeconds: (trainer: PaperTrainer) => Promise<number>,
  ) {
    const { H, seed, batch, encoding } = settings;
    const { V } = rows;
    this.#engine = engine;
    this.#rows = rows;
    this.#settings = settings;
    this.#finish = finishSeconds;
    this.shape = { V, H, bias: false };
    this.radius = encoding.bounded ? 1 : Number.POSITIVE_INFINITY;
    this.W = floatsOf(engine, gaussians(V * H, seed));
    this.#E = engine.floats(batch * H);
    if (this.#carriesCodes) this.#E.write(gaussians(batch * H, seed + CODES_SEED));
    this.#sums = { codes: engine.floats(batch * H), weights: engine.floats(V * H) };
    // Adagrad with gradients g / n is Adagrad with gradients g and accumulators that start n^2 times as high.
    this.#sums.codes.fill(PAPER.accumulator * (this.#carriesCodes ? batch ** 2 : 1));
    this.#sums.weights.fill(PAPER.accumulator);
    this.#losses = engine.floats(batch);
  }

  get #carriesCodes(): boolean {
    return this.#settings.method === 'paper';
  }

  get share(): number {
    return this.#visit / (2 * (this.epoch + 1));
  }

  rate(): number {
    return PAPER.rate;
  }

  /** Epoch t costs t times as much as the first. */
  work(epochs: number): number {
    return epochs * (epochs + 1);
  }

  async *visits(): AsyncGenerator<number> {
    const t = this.epoch + 1;
    const { batch } = this.#settings;
    const { stepsPerEpoch: steps, rate } = PAPER;
    const { radius } = this;
    const block = this.#minibatch();
    try {
      if (this.#visit === 0 && !this.#carriesCodes) this.#E.fill(0);
      while (this.#visit < 2 * t) {
        const at = this.#at(block);
        if (this.#visit < t)
          await this.#engine.adagrad('codes', at, { steps, rate, accumulators: this.#sums.codes, radius });
        else await this.#engine.adagrad('weights', at, { steps, rate, accumulators: this.#sums.weights });
        this.#visit++;
        yield batch / (2 * t);
      }
    } finally {
      block.free();
    }
  }

  /** The mean loss of the minibatch at its present codes. */
  async visitedLoss(): Promise<number> {
    const block = this.#minibatch();
    await this.#engine.measure(this.#at(block), { losses: this.#losses });
    block.free();
    return sum(await this.#losses.read()) / this.#settings.batch;
  }

  async endEpoch(): Promise<Seen> {
    const loss = await this.visitedLoss();
    this.epoch++;
    this.#visit = 0;
    return { loss, slack: loss, rate: PAPER.rate };
  }

  finishSeconds(): Promise<number> {
    return this.#finish(this);
  }

  async snapshot(): Promise<TrainerState> {
    const { codes, weights } = this.#sums;
    const W = await this.W.read();
    const E = await this.#E.read();
    return {
      arrays: { W, E, codes: await codes.read(), weights: await weights.read() },
      state: { epoch: this.epoch, visit: this.#visit } satisfies z.infer<typeof state>,
    };
  }

  restore(from: TrainerState): void {
    const { epoch, visit } = stateOf(from, state);
    restored.floats(this.W, from, 'W');
    restored.floats(this.#E, from, 'E');
    restored.floats(this.#sums.codes, from, 'codes');
    restored.floats(this.#sums.weights, from, 'weights');
    this.epoch = epoch;
    this.#visit = visit;
  }

  /** Frees everything but W. */
  free(): void {
    for (const used of [this.#E, this.#losses, this.#sums.codes, this.#sums.weights]) used.free();
  }

  /** 250 rows drawn without replacement, different ones in each epoch. */
  #minibatch(): Block {
    const { batch, seed } = this.#settings;
    const order = permutation(this.#rows.n, seed + 104_729 * (this.epoch + 1));
    return this.#engine.load(takeRows(this.#rows, order.subarray(0, batch)));
  }

  #at(block: Block) {
    return { block, shape: this.shape, W: this.W, E: this.#E, loss: this.#settings.loss };
  }
}

const count = z.int().check(z.nonnegative());
const state = z.object({ epoch: count, visit: count });

/** Added to the seed so that codes differ from W. */
const CODES_SEED = 15_485_863;

/** The radius within which real codes are certified; those of this procedure stay near 1. */
const REAL_RADIUS = 10;

/** Mean Psi''/2 of each bit over some rows at roughly optimal codes: what preconditions the encoder. */
async function measureCurvature(
  engine: Engine,
  rows: Rows,
  { shape, W, radius }: PaperTrainer,
  loss: Loss,
): Promise<Float64Array> {
  const sample = sliceRows(rows, 0, Math.min(rows.n, 2000));
  const block = engine.load(sample);
  const E = engine.floats(sample.n * shape.H);
  const accumulators = engine.floats(sample.n * shape.H);
  accumulators.fill(PAPER.accumulator);
  const at = { block, shape, W, E, loss };
  await engine.adagrad('codes', at, { steps: 100, rate: PAPER.rate, accumulators, radius });
  const { curvature } = await lookAt(engine, at);
  for (const used of [block, E, accumulators]) used.free();
  return curvature;
}

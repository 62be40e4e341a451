import type { Block, Engine } from '../../engine/engine.ts';
import { type Rows, takeRows } from '../../rows/rows.ts';
import { holdOut, permutation } from '../../rows/split.ts';
import { withoutBias } from '../../solvers/codes.ts';
import { residentData } from '../data.ts';
import type { FitResult } from '../fit.ts';
import type { HistoryEntry, Stopped } from '../history.ts';
import { type FitOptions, type Progress, resolveSettings } from '../options.ts';
import type { Settings } from '../settings.ts';
import { gatherCodes } from '../settle.ts';
import { baseRateScore } from '../start.ts';
import { chooseBitsRidge } from './ridge.ts';
import { codesFromHalfSpaces, halfSpaces } from './start.ts';
import { BitsTrainer } from './trainer.ts';
import { BitsValidation } from './validate.ts';

/**
 * Learns a decoder for codes of true bits, step by step: the relaxation first, then rounds of the alternation. The
 * rows are in memory and each keeps its code. Both phases count as epochs, one pass over the rows each.
 */
export async function* fitBits(
  rows: Rows,
  options: FitOptions,
  engine: Engine,
): AsyncGenerator<Progress, FitResult> {
  checkOptions(options);
  const { training, held } = split(rows, options);
  let settings = bitsSettings(options, training);
  const data = residentData(engine, training, settings.seed);
  const { block } = (await data.blocks()[Symbol.asyncIterator]().next()).value;
  const trainer = new BitsTrainer(engine, block, settings);
  const validation = held && new BitsValidation(engine, held, settings.H);
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const history: HistoryEntry[] = [];
  const { epochs, timeBudget, n } = { ...settings, n: data.n };
  const passes = Number.isFinite(epochs) ? epochs : defaultPasses(n, settings.H);
  const relaxed = options.start ? 0 : Math.round(RELAX_SHARE * passes);
  let epoch = 0;
  let stopped: Stopped | undefined;
  const state = (phase: Progress['phase'], loss: number, rowsDone: number, rate = 0): Progress => ({
    ...{ phase, epoch, loss, validation: history.at(-1)?.validation, rate, seconds: seconds() },
    fraction: Math.min(1, Math.max((epoch + rowsDone / n) / epochs, seconds() / timeBudget)),
    rowsPerSecond: (epoch * n + rowsDone) / Math.max(1e-3, seconds()),
  });
  /** Reports the pieces of one pass as they are done, and stops it when it is time; the mean loss so far. */
  async function* pass(pieces: AsyncIterable<{ loss: number; rows: number }>, rate: number) {
    let [loss, done] = [0, 0];
    for await (const piece of pieces) {
      loss += piece.loss;
      done += piece.rows;
      yield state('learn', loss / done, done, rate);
      if (options.signal?.aborted) stopped = 'aborted';
      else if (seconds() >= timeBudget) stopped = 'time';
      if (stopped) break;
    }
    return loss / Math.max(1, done);
  }
  try {
    yield state('start', Number.NaN, 0);
    if (options.start) trainer.W.write(options.start);
    else await startFromHalfSpaces(engine, training, block, trainer, settings);
    if (relaxed > 0) trainer.loosen();
    const relaxTime = RELAX_SHARE * timeBudget;
    while (epoch < relaxed && !stopped && seconds() < relaxTime) {
      const share = (batch: number) => Math.max((epoch + batch) / relaxed, seconds() / relaxTime);
      const loss = yield* pass(trainer.relaxEpoch(epoch, share), settings.rate);
      history.push({ epoch: ++epoch, seconds: seconds(), loss, rate: settings.rate });
    }
    if (relaxed > 0) {
      trainer.decide();
      await trainer.fitWeights(DECIDED_STEPS);
    }
    if (options.ridge === 'auto' && !stopped) {
      if (!validation) {
        throw new RangeError("fit: ridge 'auto' needs validation rows; set validation, say to 0.1");
      }
      settings = { ...settings, ridge: yield* chooseBitsRidge(trainer, validation, n, state) };
      trainer.ridge = settings.ridge;
    }
    let best: { validation: number; misses: number; W: Float32Array; E: Float32Array } | undefined;
    for (let round = 0; !stopped; round++) {
      const kept = round > 0 || relaxed > 0;
      const loss = yield* pass(trainer.searchRound(round, kept), 0);
      if (stopped !== 'aborted') await trainer.fitWeights(ROUND_STEPS);
      const slack = await trainer.meanLoss();
      const held = stopped === 'aborted' ? undefined : await validation?.loss(trainer);
      const before = history.at(-1)?.slack ?? Number.POSITIVE_INFINITY;
      history.push({ epoch: ++epoch, seconds: seconds(), loss, slack, rate: 0, validation: held });
      if (held !== undefined) {
        const better = !best || held < best.validation;
        if (better) best = { validation: held, misses: 0, W: trainer.W.read(), E: trainer.E.read() };
        else if (best && ++best.misses >= PATIENCE) stopped ??= 'validation';
      }
      if (settings.tolerance > 0 && before - slack < settings.tolerance * slack) stopped ??= 'converged';
      if (epoch >= epochs) stopped ??= 'epochs';
    }
    if (best && best.misses > 0) {
      trainer.W.write(best.W);
      trainer.E.write(best.E);
    }
    yield state('finish', history.at(-1)?.loss ?? Number.NaN, 0);
    const loss = await trainer.settle();
    await trainer.measureCurvature();
    const codes = new Float32Array(n * settings.H);
    gatherCodes(withoutBias(trainer.E.read(), settings.H, trainer.width), 0, settings.H, data.order, codes);
    return {
      n,
      ...{ W: trainer.W.read(), B: await trainer.correlations(), radius: 1, loss, codes, settings, history },
      curvature: Float32Array.from(trainer.curvature),
      gap: await trainer.meanGap(),
      stopped: stopped ?? 'epochs',
      converged: stopped === 'converged',
      seconds: seconds(),
    };
  } finally {
    validation?.free();
    trainer.free();
    data.close();
  }
}

/** Passes over n rows: fewer where one takes long, because rows are many or codes are. */
function defaultPasses(n: number, H: number): number {
  const passes = 36 * Math.sqrt((60_000 / n) * (32 / Math.max(32, H)));
  return Math.round(Math.max(16, Math.min(120, passes)));
}

/** The share of all passes, or of the time, that the relaxation takes. */
const RELAX_SHARE = 0.15;
const DEFAULT_RIDGE = 1.5;
/** Conjugate-gradient steps on W: at the start, after the relaxation, after each round. */
const START_STEPS = 6;
const DECIDED_STEPS = 5;
const ROUND_STEPS = 3;
/** Ridge of the very first weights, which belong to crude codes. */
const START_RIDGE = 1e-3;
/** Half-spaces are settled long before all rows are seen. */
const START_ROWS = 10_000;
/** Rounds without a better validation loss that end learning. */
const PATIENCE = 5;

function checkOptions(options: FitOptions): void {
  const refuse = (what: string) => {
    throw new RangeError(`fit: encoding 'bits' ${what}`);
  };
  if (options.bias === false) refuse('always has a bias unit; leave bias out');
  if (options.l1) refuse('has no L1 penalty; leave l1 out and use ridge');
  if (options.mask) refuse('uses all correlations; leave mask out');
  if (options.codes === 'recompute') refuse("keeps every row's code; leave codes out or set it to 'keep'");
  if (options.algorithm === 'paper') refuse("is not part of the paper's procedure; leave algorithm out");
  if (options.checkpoint || options.resume) refuse('is learned without checkpoints; leave them out');
}

function split(rows: Rows, options: FitOptions): { training: Rows; held?: Rows } {
  const { validation } = options;
  if (typeof validation !== 'number') return { training: rows, held: validation };
  resolveSettings(options, rows.n, rows.V);
  const { kept, held } = holdOut(rows.n, validation, options.seed ?? 1);
  return { training: takeRows(rows, kept), held: takeRows(rows, held) };
}

function bitsSettings(options: FitOptions, rows: Rows): Settings {
  const defaults = { rate: 0.11 / Math.sqrt(options.H) };
  const ridge = typeof options.ridge === 'number' ? options.ridge : DEFAULT_RIDGE / rows.n;
  const epochs = options.epochs ?? (options.timeBudget ? undefined : defaultPasses(rows.n, options.H));
  return resolveSettings({ ...defaults, ...options, bias: true, ridge, epochs }, rows.n, rows.V);
}

/** Codes from half-spaces, weights from a few steps on them, the bias at the base rates. */
async function startFromHalfSpaces(
  engine: Engine,
  rows: Rows,
  block: Block,
  trainer: BitsTrainer,
  settings: Settings,
): Promise<void> {
  const { H, seed } = settings;
  const sampled = rows.n > START_ROWS;
  const sample = sampled
    ? engine.load(takeRows(rows, permutation(rows.n, seed).subarray(0, START_ROWS)))
    : block;
  const spaces = await halfSpaces(engine, sample, H, seed);
  if (sampled) sample.free();
  await codesFromHalfSpaces(engine, block, spaces, trainer.E, 0);
  const W = new Float32Array(trainer.W.length);
  spaces.mean.forEach((mean, v) => {
    W[v * trainer.width + H] = baseRateScore(mean, rows.n);
  });
  trainer.W.write(W);
  await trainer.fitWeights(START_STEPS, Math.max(START_RIDGE, settings.ridge));
}

import type { Engine } from '../../engine/engine.ts';
import { type Rows, rowBytes } from '../../rows/rows.ts';
import { split } from '../../rows/split.ts';
import { withoutBias } from '../../solvers/codes.ts';
import { residentData } from '../data.ts';
import type { FitResult } from '../fit.ts';
import { type CheckedOptions, type FitOptions, type Progress, resolveSettings } from '../options.ts';
import type { Settings } from '../settings.ts';
import { gatherCodes } from '../settle.ts';
import { type BitsPlan, learnBits } from './learn.ts';
import { Starts } from './starts.ts';
import { BitsTrainer } from './trainer.ts';
import { BitsValidation } from './validate.ts';

/**
 * Learns a decoder for codes of true bits, step by step: the relaxation first, then rounds of the alternation. The
 * rows are in memory and each keeps its code. Both phases count as epochs, one pass over the rows each.
 */
export async function* fitBits(
  rows: Rows,
  options: CheckedOptions,
  engine: Engine,
): AsyncGenerator<Progress, FitResult> {
  checkBitsSize(rows, options.H);
  resolveSettings(options, rows.n, rows.V);
  const {
    training: { rows: training },
    held,
  } = split({ rows }, options.validation, options.seed ?? 1);
  const settings = bitsSettings(options, training);
  const ridgeFrom = ridgeSource(options);
  if (ridgeFrom === 'validation' && !held) {
    throw new RangeError("fit: ridge 'auto' needs validation rows; set validation, say to 0.1");
  }
  checkStart(options, training.V);
  const began = performance.now();
  const data = residentData(engine, training, settings.seed);
  const { block } = (await data.blocks()[Symbol.asyncIterator]().next()).value;
  const trainer = new BitsTrainer(engine, block, settings, !options.start);
  const validation = held && new BitsValidation(engine, held.rows, settings.H);
  const { n, H } = { n: data.n, H: settings.H };
  const starts = new Starts(engine, training, block, settings);
  try {
    yield { phase: 'start', fraction: 0, epoch: 0, loss: Number.NaN, rate: 0, rowsPerSecond: 0, seconds: 0 };
    if (options.start) trainer.W.write(options.start);
    else if (!options.resume) await starts.begin(trainer, 0);
    const passes = options.start ? 0 : (options.epochs ?? defaultPasses(n, H));
    const plan = { settings, ...relaxation(passes, n, H), ridgeFrom };
    const { history, stopped, seconds } = yield* learnBits(trainer, plan, starts, validation, options);
    const last = history.at(-1)?.loss ?? Number.NaN;
    const epoch = history.length;
    yield { phase: 'finish', fraction: 1, epoch, loss: last, rate: 0, rowsPerSecond: 0, seconds };
    const loss = await trainer.settle();
    await trainer.measureCurvature();
    const codes = new Float32Array(n * H);
    gatherCodes(withoutBias(await trainer.E.read(), H, trainer.width), 0, H, data.order, codes);
    return {
      ...{ n, W: await trainer.W.read(), B: await trainer.correlations(), radius: 1, loss, codes },
      curvature: Float32Array.from(trainer.curvature),
      gap: await trainer.meanGap(),
      settings: { ...settings, ridge: trainer.ridge },
      ...{ history, stopped, converged: stopped === 'converged' },
      seconds: (performance.now() - began) / 1000,
    };
  } finally {
    validation?.free();
    starts.free();
    trainer.free();
    data.close();
  }
}

/** Passes over n rows: fewer where one takes long, because rows are many or codes are. */
function defaultPasses(n: number, H: number): number {
  const relaxed = Math.max(LEAST_PASSES, Math.min(MOST_PASSES, 8 * leisure(n, H)));
  return Math.round(relaxed * (startsFor(n, H) + ROUNDS));
}

/** How many passes relax, from how many starts; the rest are rounds of the alternation. */
function relaxation(passes: number, n: number, H: number): Pick<BitsPlan, 'starts' | 'relaxed'> {
  const affordable = Math.floor(passes / LEAST_PASSES) - ROUNDS;
  const starts = Math.max(1, Math.min(startsFor(n, H), affordable));
  return { starts, relaxed: Math.ceil(passes / (starts + ROUNDS)) };
}

function startsFor(n: number, H: number): number {
  return Math.round(Math.max(2, Math.min(8, 4 * leisure(n, H))));
}

/** How little a pass costs, on a scale on which 60,000 rows and 32 bits are 1. */
function leisure(n: number, H: number): number {
  return Math.sqrt((60_000 / n) * (32 / Math.max(32, H)));
}

/** Rounds of the alternation for each pass that relaxes from a start; they take by far the most time. */
const ROUNDS = 2;
/** Passes that relax from a start, at least and at most. */
const LEAST_PASSES = 4;
const MOST_PASSES = 30;
/** Times 1/n: the ridge of the relaxation, until the weights or validation rows tell which one it should be. */
const RELAX_RIDGE = 1.5;

/** What rows and codes may take in the engine's memory; the rest is for weights and sums. */
const MOST_BYTES = 3.5 * 2 ** 30;
/** Rows that an engine takes at once when it fits W. */
const MOST_ROWS = 1e7;

/** Says so at once where rows and their codes cannot be kept: nothing has been read or learned by then. */
export function checkBitsSize(
  { n, V, kind }: { n: number; V: number; kind?: Rows['kind'] },
  H: number,
): void {
  if (n > MOST_ROWS) {
    throw new RangeError(
      `fit: encoding 'bits' learns from at most ${MOST_ROWS} rows, got ${n}. Learn from a sample of the rows: the ` +
        'model encodes any number of them',
    );
  }
  // Codes are there three times while W is fitted to them: as they are, and packed for both of their products.
  const bytes = n * ((kind === 'real' ? 4 * V : rowBytes(V)) + 4 * (3 * (H + 1) + 1));
  if (bytes <= MOST_BYTES) return;
  const gigabytes = (value: number) => `${(value / 2 ** 30).toFixed(1)} GiB`;
  throw new RangeError(
    `fit: encoding 'bits' keeps all rows and codes in memory; ${n} rows of ${V} columns with ${H} bits each need ` +
      `${gigabytes(bytes)}, at most ${gigabytes(MOST_BYTES)} are possible. Learn from a sample of the rows: ` +
      'the model encodes any number of them',
  );
}

function checkStart({ start, H }: FitOptions, V: number): void {
  if (start === undefined || start.length === V * (H + 1)) return;
  throw new RangeError(
    `fit: start must hold V x (H + 1) = ${V} x ${H + 1} weights, the bias last, got ${start.length} numbers`,
  );
}

function bitsSettings(options: FitOptions, rows: Rows): Settings {
  const rate = options.rate ?? 0.11 / Math.sqrt(options.H);
  const ridge = typeof options.ridge === 'number' ? options.ridge : RELAX_RIDGE / rows.n;
  const epochs = options.epochs ?? (options.timeBudget ? undefined : defaultPasses(rows.n, options.H));
  return resolveSettings({ ...options, rate, bias: true, ridge, epochs }, rows.n, rows.V);
}

function ridgeSource({ ridge }: FitOptions): BitsPlan['ridgeFrom'] {
  if (ridge === 'auto') return 'validation';
  return ridge === undefined ? 'weights' : 'options';
}

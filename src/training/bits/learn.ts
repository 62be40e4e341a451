import { type Checkpoint, type CheckpointProgress, checkpointOf } from '../checkpoint.ts';
import type { HistoryEntry, Stopped } from '../history.ts';
import { fingerprintOf, stopwatch } from '../learn.ts';
import { rateAt, shareDone } from '../minibatch.ts';
import type { CheckedOptions, Progress } from '../options.ts';
import type { Settings } from '../settings.ts';
import { chooseBitsRidge, ridgeFromWeights } from './ridge.ts';
import type { Starts } from './starts.ts';
import type { BitsTrainer } from './trainer.ts';
import type { BitsValidation } from './validate.ts';

/** The checkpoint of a run with codes of bits. */
export interface BitsCheckpoint extends Checkpoint {
  readonly arrays: Awaited<ReturnType<BitsTrainer['snapshot']>> & {
    readonly bestW?: Float32Array;
    readonly bestE?: Float32Array;
    readonly relaxedW?: Float32Array;
    readonly relaxedE?: Float32Array;
  };
  readonly progress: CheckpointProgress &
    BitsTrainer['at'] & {
      readonly ridge: number;
      readonly best?: { readonly validation: number; readonly misses: number };
      /** The loss of the best start that is done. */
      readonly relaxedLoss?: number;
    };
}

export interface BitsLearned {
  readonly history: readonly HistoryEntry[];
  readonly stopped: Stopped;
  readonly seconds: number;
}

/** What a run is to do: `relaxed` passes of the relaxation from each start, then rounds of the alternation. */
export interface BitsPlan {
  readonly settings: Settings;
  readonly starts: number;
  readonly relaxed: number;
  /** What tells the ridge of the alternation. */
  readonly ridgeFrom: 'options' | 'weights' | 'validation';
}

/**
 * Runs a trainer through both phases to the end: epochs, time budget, tolerance, validation or abort, whichever comes
 * first. A pass over the rows is an epoch, whatever the phase. The trainer ends with bits.
 *
 * How good the model gets is decided by where its relaxation began, more than by how long anything lasts; and the loss
 * of the bits that it ends with tells well which start will be best. So that one alone goes on to the alternation.
 */
export async function* learnBits(
  trainer: BitsTrainer,
  plan: BitsPlan,
  starts: Starts,
  validation: BitsValidation | undefined,
  options: Pick<CheckedOptions, 'signal' | 'checkpoint' | 'resume' | 'start' | 'validation'>,
): AsyncGenerator<Progress, BitsLearned> {
  const { settings } = plan;
  const { epochs, timeBudget, tolerance } = settings;
  let { checkpoint } = options;
  const { n, V } = trainer;
  const fingerprint = `bits ${plan.ridgeFrom} ${fingerprintOf(settings, { n, V }, options)}`;
  const history: HistoryEntry[] = [];
  let best: BitsCheckpoint['progress']['best'];
  let kept: { bestW?: Float32Array; bestE?: Float32Array } = {};
  let relaxed: Relaxed | undefined;
  let before = 0;
  if (options.resume) {
    const { arrays, progress } = checkpointOf<BitsCheckpoint>(options.resume, fingerprint);
    trainer.restore(arrays, progress);
    trainer.ridge = progress.ridge;
    for (const entry of progress.history) history.push(entry);
    best = progress.best;
    kept = { bestW: arrays.bestW, bestE: arrays.bestE };
    const { relaxedW, relaxedE } = arrays;
    if (relaxedW && relaxedE) relaxed = { loss: progress.relaxedLoss ?? 0, relaxedW, relaxedE };
    before = progress.seconds;
  }
  const clock = stopwatch(before);
  const relaxPasses = plan.starts * plan.relaxed;
  const relaxTime = timeBudget * (Number.isFinite(epochs) ? relaxPasses / epochs : RELAX_TIME);
  const passes = () => trainer.at.epoch + trainer.share;
  let rowsSeen = 0;
  const state = (phase: Progress['phase'], loss: number): Progress => ({
    ...{ phase, epoch: trainer.at.epoch, loss, seconds: clock() },
    fraction: Math.min(1, Math.max(work(passes()) / work(epochs), clock() / timeBudget)),
    validation: history.findLast((entry) => entry.validation !== undefined)?.validation,
    rate: trainer.relaxing ? rateAt(settings.rate, relaxProgress()) : 0,
    rowsPerSecond: rowsSeen / Math.max(1e-3, clock() - before),
  });
  const work = (done: number) => Math.min(done, relaxPasses) + ROUND_WORK * Math.max(0, done - relaxPasses);
  /** The share of the relaxation from this start that is done. */
  const relaxProgress = () => {
    const { begun } = trainer.at;
    const time = (plan.starts * (clock() - begun.seconds)) / relaxTime;
    return shareDone(passes() - begun.epoch, plan.relaxed, time);
  };
  /** Whether there is another start, and time for it if it takes as long as those before it. */
  const another = () => {
    const done = trainer.at.start + 1;
    return done < plan.starts && (clock() * (done + 1)) / done <= relaxTime;
  };
  let ridgeDue = plan.ridgeFrom !== 'options' && (trainer.relaxing || !options.resume);
  let stopped: Stopped | undefined;
  let saved = clock();
  while (!stopped) {
    // A pass that was interrupted when all was done but its end is ended first.
    if (trainer.relaxing && trainer.at.batch === 0 && relaxProgress() >= 1) {
      await trainer.decide();
      if (plan.starts > 1) relaxed = await better(trainer, relaxed);
      if (another()) await starts.begin(trainer, trainer.at.start + 1, clock);
      else if (relaxed) relaxed = goBack(trainer, relaxed);
    }
    if (ridgeDue && !trainer.relaxing) {
      if (plan.ridgeFrom === 'weights') trainer.ridge = await ridgeFromWeights(trainer);
      else if (validation) {
        const ended = () => options.signal?.aborted === true || clock() >= timeBudget;
        yield* chooseBitsRidge(trainer, validation, (loss) => state('ridge', loss), ended);
        // Going on from half a search would not end where the whole one does.
        if (options.signal?.aborted) checkpoint = undefined;
      }
      ridgeDue = false;
    }
    for await (const rows of trainer.relaxing ? trainer.relaxEpoch(relaxProgress) : trainer.searchRound()) {
      rowsSeen += rows;
      yield state('learn', trainer.visitedLoss);
      if (options.signal?.aborted) stopped = 'aborted';
      else if (clock() >= timeBudget) stopped = 'time';
      if (checkpoint && (stopped === 'aborted' || clock() - saved >= checkpoint.every)) {
        const { ridge, at } = trainer;
        const { loss: relaxedLoss, ...relaxedArrays } = relaxed ?? {};
        const taken: BitsCheckpoint = {
          arrays: { ...(await trainer.snapshot()), ...kept, ...relaxedArrays },
          progress: {
            ...{ ...at, seconds: clock(), ridge, best, relaxedLoss, fingerprint, history: [...history] },
          },
        };
        await checkpoint.save(taken);
        saved = clock();
      }
      if (stopped) break;
    }
    if (stopped === 'aborted') break;
    const { relaxing } = trainer;
    const rate = relaxing ? rateAt(settings.rate, relaxProgress()) : 0;
    const loss = await trainer.endEpoch();
    const slack = relaxing ? undefined : await trainer.meanLoss();
    const held = relaxing ? undefined : await validation?.loss(trainer);
    const previous = history.at(-1)?.slack ?? Number.POSITIVE_INFINITY;
    history.push({ epoch: trainer.at.epoch, seconds: clock(), loss, slack, rate, validation: held });
    if (held !== undefined) {
      if (!best || held < best.validation) {
        best = { validation: held, misses: 0 };
        kept = { bestW: await trainer.W.read(), bestE: await trainer.E.read() };
      } else best = { ...best, misses: best.misses + 1 };
      if (best.misses >= PATIENCE) stopped ??= 'validation';
    }
    if (slack !== undefined && tolerance > 0 && previous - slack < tolerance * Math.abs(slack)) {
      stopped ??= 'converged';
    }
    if (trainer.at.epoch >= epochs) stopped ??= 'epochs';
  }
  if (trainer.relaxing) {
    await trainer.decide();
    if (relaxed) goBack(trainer, await better(trainer, relaxed));
  }
  if (best && best.misses > 0 && kept.bestW && kept.bestE) {
    trainer.W.write(kept.bestW);
    trainer.E.write(kept.bestE);
  }
  return { history, stopped, seconds: clock() };
}

/** Where the best start so far ended. */
interface Relaxed {
  readonly loss: number;
  readonly relaxedW: Float32Array;
  readonly relaxedE: Float32Array;
}

/** The bits and weights that the trainer has come to, or those of an earlier start that were better. */
async function better(trainer: BitsTrainer, earlier: Relaxed | undefined): Promise<Relaxed> {
  const loss = await trainer.meanLoss();
  if (earlier && earlier.loss <= loss) return earlier;
  return { loss, relaxedW: await trainer.W.read(), relaxedE: await trainer.E.read() };
}

/** The trainer goes on from there; nothing needs to be kept any more. */
function goBack({ W, E }: BitsTrainer, { relaxedW, relaxedE }: Relaxed): undefined {
  W.write(relaxedW);
  E.write(relaxedE);
}

/** What a round of the alternation costs, in passes of the relaxation, roughly. */
const ROUND_WORK = 8;
/** The share of a time budget that the relaxation gets where no number of passes says it. */
const RELAX_TIME = 0.15;
/** Rounds without a better validation loss that end learning. */
const PATIENCE = 5;

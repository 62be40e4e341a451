import { type Checkpoint, type CheckpointProgress, checkpointOf } from '../checkpoint.ts';
import type { HistoryEntry, Stopped } from '../history.ts';
import { fingerprintOf, stopwatch } from '../learn.ts';
import { rateAt, shareDone } from '../minibatch.ts';
import type { FitOptions, Progress } from '../options.ts';
import type { Settings } from '../settings.ts';
import { chooseBitsRidge, ridgeFromWeights } from './ridge.ts';
import type { BitsTrainer } from './trainer.ts';
import type { BitsValidation } from './validate.ts';

/** The checkpoint of a run with codes of bits. */
export interface BitsCheckpoint extends Checkpoint {
  readonly arrays: ReturnType<BitsTrainer['snapshot']> & {
    readonly bestW?: Float32Array;
    readonly bestE?: Float32Array;
  };
  readonly progress: CheckpointProgress &
    BitsTrainer['at'] & {
      readonly ridge: number;
      readonly best?: { readonly validation: number; readonly misses: number };
    };
}

export interface BitsLearned {
  readonly history: readonly HistoryEntry[];
  readonly stopped: Stopped;
  readonly seconds: number;
}

/** What a run is to do: `relaxed` passes of the relaxation, then rounds of the alternation. */
export interface BitsPlan {
  readonly settings: Settings;
  readonly relaxed: number;
  /** What tells the ridge of the alternation. */
  readonly ridgeFrom: 'options' | 'weights' | 'validation';
}

/**
 * Runs a trainer through both phases to the end: epochs, time budget, tolerance, validation or abort, whichever comes
 * first. A pass over the rows is an epoch, whatever the phase. The trainer ends with bits.
 */
export async function* learnBits(
  trainer: BitsTrainer,
  plan: BitsPlan,
  validation: BitsValidation | undefined,
  options: Pick<FitOptions, 'signal' | 'checkpoint' | 'resume'>,
): AsyncGenerator<Progress, BitsLearned> {
  const { settings } = plan;
  const { epochs, timeBudget, tolerance } = settings;
  const { n, V } = trainer;
  const fingerprint = `bits ${fingerprintOf(settings, { n, V })}`;
  const history: HistoryEntry[] = [];
  let best: BitsCheckpoint['progress']['best'];
  let kept: { bestW?: Float32Array; bestE?: Float32Array } = {};
  let before = 0;
  if (options.resume) {
    const { arrays, progress } = checkpointOf<BitsCheckpoint>(options.resume, fingerprint);
    trainer.restore(arrays, progress);
    trainer.ridge = progress.ridge;
    history.push(...progress.history);
    best = progress.best;
    kept = { bestW: arrays.bestW, bestE: arrays.bestE };
    before = progress.seconds;
  }
  const clock = stopwatch(before);
  const relaxTime = timeBudget * (Number.isFinite(epochs) ? plan.relaxed / epochs : RELAX_TIME);
  let rowsSeen = 0;
  const state = (phase: Progress['phase'], loss: number): Progress => ({
    ...{ phase, epoch: trainer.at.epoch, loss, seconds: clock() },
    fraction: Math.min(1, Math.max((trainer.at.epoch + trainer.share) / epochs, clock() / timeBudget)),
    validation: history.findLast((entry) => entry.validation !== undefined)?.validation,
    rate: trainer.relaxing ? rateAt(settings.rate, relaxProgress()) : 0,
    rowsPerSecond: rowsSeen / Math.max(1e-3, clock() - before),
  });
  const relaxProgress = () => shareDone(trainer.at.epoch + trainer.share, plan.relaxed, clock() / relaxTime);
  let ridgeDue = plan.ridgeFrom !== 'options' && (trainer.relaxing || !options.resume);
  let stopped: Stopped | undefined;
  let saved = clock();
  while (!stopped) {
    const relaxed = !(trainer.at.epoch < plan.relaxed && clock() < relaxTime);
    if (trainer.relaxing && relaxed) await trainer.decide();
    if (ridgeDue && !trainer.relaxing) {
      if (plan.ridgeFrom === 'weights') trainer.ridge = ridgeFromWeights(trainer);
      else if (validation) yield* chooseBitsRidge(trainer, validation, (loss) => state('ridge', loss));
      ridgeDue = false;
    }
    for await (const rows of trainer.relaxing ? trainer.relaxEpoch(relaxProgress) : trainer.searchRound()) {
      rowsSeen += rows;
      yield state('learn', trainer.visitedLoss);
      if (options.signal?.aborted) stopped = 'aborted';
      else if (clock() >= timeBudget) stopped = 'time';
      if (options.checkpoint && (stopped === 'aborted' || clock() - saved >= options.checkpoint.every)) {
        const { ridge, at } = trainer;
        const progress = { ...at, seconds: clock(), ridge, best, fingerprint, history: [...history] };
        const checkpoint: BitsCheckpoint = { arrays: { ...trainer.snapshot(), ...kept }, progress };
        await options.checkpoint.save(checkpoint);
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
        kept = { bestW: trainer.W.read(), bestE: trainer.E.read() };
      } else best = { ...best, misses: best.misses + 1 };
      if (best.misses >= PATIENCE) stopped ??= 'validation';
    }
    if (slack !== undefined && tolerance > 0 && previous - slack < tolerance * slack) stopped ??= 'converged';
    if (trainer.at.epoch >= epochs) stopped ??= 'epochs';
  }
  if (trainer.relaxing) await trainer.decide();
  if (best && best.misses > 0 && kept.bestW && kept.bestE) {
    trainer.W.write(kept.bestW);
    trainer.E.write(kept.bestE);
  }
  return { history, stopped, seconds: clock() };
}

/** The share of a time budget that the relaxation gets where no number of passes says it. */
const RELAX_TIME = 0.15;
/** Rounds without a better validation loss that end learning. */
const PATIENCE = 5;

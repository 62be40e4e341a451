import * as z from 'zod/mini';
import { stateOf } from '../checkpoint/check.ts';
import { restored } from '../checkpoint/restored.ts';
import type { HistoryEntry } from '../loop/history.ts';
import type { Run } from '../loop/run.ts';
import type { Seen, Trainer, TrainerState } from '../loop/trainer.ts';
import { rateAt } from '../minibatch.ts';
import type { Settings } from '../settings.ts';
import type { BitPhases } from './phases.ts';
import type { Plan } from './plan.ts';
import { chooseBitsRidge, ridgeFromWeights } from './ridge.ts';
import type { Starts } from './starts.ts';
import type { BitsValidation } from './validate.ts';

/**
 * Leads learning through its two phases, pass by pass: `relaxed` passes of the relaxation from each
 * start, then rounds of the alternation. It ends with bits.
 *
 * The quality of the model depends on the start of the relaxation more than on the length of any phase, and
 * the loss of the bits after the relaxation predicts well which start will be best. So only the best start
 * goes on to the alternation.
 */
export class BitsTrainer implements Trainer {
  readonly #phases: BitPhases;
  readonly #settings: Settings;
  readonly #plan: Plan;
  readonly #starts: Starts;
  readonly #run: Run;
  readonly #validation?: BitsValidation;
  readonly #relaxTime: number;
  /** The result of the best start so far, while others remain. */
  #relaxed: Place | undefined;
  #best: (Place & { readonly last: boolean }) | undefined;
  #ridgeDue: boolean;

  constructor(phases: BitPhases, settings: Settings, run: Run, { plan, starts, validation }: Setup) {
    this.#phases = phases;
    this.#settings = settings;
    this.#plan = plan;
    this.#starts = starts;
    this.#run = run;
    this.#validation = validation;
    const { epochs } = settings;
    this.#relaxTime = Number.isFinite(epochs) ? Number.POSITIVE_INFINITY : RELAX_TIME * run.course.budget;
    this.#ridgeDue = settings.ridgeFrom !== 'options';
  }

  get epoch(): number {
    return this.#phases.at.epoch;
  }

  get share(): number {
    return this.#phases.share;
  }

  rate(): number {
    return this.#phases.relaxing ? rateAt(this.#settings.rate, this.#relaxProgress()) : 0;
  }

  work(epochs: number): number {
    const relaxing = this.#plan.starts * this.#plan.relaxed;
    return Math.min(epochs, relaxing) + ROUND_WORK * Math.max(0, epochs - relaxing);
  }

  /** Begins the next phase if one is over. An interrupted pass is finished first. */
  async begin(): Promise<void> {
    const phases = this.#phases;
    if (phases.relaxing && phases.at.batch === 0 && this.#relaxProgress() >= 1) {
      await phases.decide();
      if (this.#plan.starts > 1) this.#relaxed = await this.#better();
      if (this.#another())
        await this.#starts.begin(phases, phases.at.start + 1, () => this.#run.course.seconds);
      else this.#goBack();
    }
    if (phases.relaxing || !this.#ridgeDue) return;
    if (this.#settings.ridgeFrom === 'weights') phases.ridge = await ridgeFromWeights(phases);
    else await chooseBitsRidge(phases, this.#validation!, this.#run);
    this.#ridgeDue = false;
  }

  visits(): AsyncIterable<number> {
    return this.#phases.relaxing
      ? this.#phases.relaxEpoch(() => this.#relaxProgress())
      : this.#phases.searchRound();
  }

  visitedLoss(): Promise<number> {
    return this.#phases.visitedLoss();
  }

  async endEpoch(): Promise<Seen> {
    const phases = this.#phases;
    const { relaxing } = phases;
    const rate = this.rate();
    await phases.visitedLoss();
    const at = phases.at;
    const W = await phases.W.read();
    try {
      const loss = await phases.endEpoch();
      if (relaxing) return { loss, rate };
      return { loss, rate, slack: await phases.meanLoss(), validation: await this.#validation?.loss(phases) };
    } catch (error) {
      // If the end of a round is interrupted, the weights are as before it.
      phases.W.write(W);
      phases.at = at;
      throw error;
    }
  }

  judge({ slack }: HistoryEntry): number | undefined {
    return slack;
  }

  async note({ validation }: HistoryEntry): Promise<boolean | undefined> {
    if (validation === undefined) return undefined;
    const best = this.#best;
    const better = !best || validation < best.loss;
    this.#best = better
      ? { ...(await placeOf(this.#phases, validation)), last: true }
      : { ...best, last: false };
    return better;
  }

  async end(): Promise<void> {
    if (this.#run.signal?.aborted) this.#phases.rest = this.#run.visiting;
    if (this.#phases.relaxing) {
      await this.#phases.decide();
      if (this.#relaxed) this.#relaxed = await this.#better();
      this.#goBack();
    }
    if (this.#best && !this.#best.last) put(this.#phases, this.#best);
  }

  async finishSeconds(): Promise<number> {
    const began = performance.now();
    await this.#phases.meanLoss();
    const passes = (PASSES_AT_THE_END * (performance.now() - began)) / 1000;
    // Rounds fit W at their end, whose time the loop measures itself.
    return CAUTION * (passes + (this.#phases.relaxing ? this.#phases.fitSeconds : 0));
  }

  async snapshot(): Promise<TrainerState> {
    const { ridge } = this.#phases;
    const relaxed = this.#relaxed;
    const best = this.#best;
    const arrays = await this.#phases.snapshot();
    return {
      arrays: { ...arrays, relaxedW: relaxed?.W, relaxedE: relaxed?.E, bestW: best?.W, bestE: best?.E },
      state: {
        at: this.#phases.at,
        ridge,
        ridgeDue: this.#ridgeDue,
        relaxed: relaxed?.loss,
        best: best && { loss: best.loss, last: best.last },
      } satisfies z.input<typeof state>,
    };
  }

  restore(from: TrainerState): void {
    const { at, ridge, ridgeDue, relaxed, best } = stateOf(from, state);
    this.#phases.restore(from, at);
    this.#phases.ridge = ridge;
    this.#ridgeDue = ridgeDue;
    const place = (name: string, loss: number) => ({
      loss,
      W: restored.array(from, `${name}W`, this.#phases.W.length, Float32Array),
      E: restored.array(from, `${name}E`, this.#phases.E.length, Float32Array),
    });
    this.#relaxed = relaxed === undefined ? undefined : place('relaxed', relaxed);
    this.#best = best && { ...place('best', best.loss), last: best.last };
  }

  /** The finished share of the relaxation from this start: of its passes or, without a limit, of its time. */
  #relaxProgress(): number {
    const { begun, epoch } = this.#phases.at;
    const passes = (epoch + this.share - begun.epoch) / this.#plan.relaxed;
    const seconds = this.#run.course.seconds - begun.seconds;
    const share = Number.isFinite(this.#relaxTime) ? (this.#plan.starts * seconds) / this.#relaxTime : passes;
    return Math.min(1, share);
  }

  /** Whether another start remains, and time for it if it takes as long as the earlier ones. */
  #another(): boolean {
    const done = this.#phases.at.start + 1;
    return done < this.#plan.starts && (this.#run.course.seconds * (done + 1)) / done <= this.#relaxTime;
  }

  /** The present bits and weights, or those of an earlier start if they are better. */
  async #better(): Promise<Place> {
    const loss = await this.#phases.meanLoss();
    const earlier = this.#relaxed;
    return earlier && earlier.loss <= loss ? earlier : placeOf(this.#phases, loss);
  }

  /** Goes back to the result of the best start. */
  #goBack(): void {
    if (this.#relaxed) put(this.#phases, this.#relaxed);
    this.#relaxed = undefined;
  }
}

/** How passes are divided, where they begin, and what they are judged by. */
interface Setup {
  readonly plan: Plan;
  readonly starts: Starts;
  readonly validation?: BitsValidation;
}

/** Weights and codes, and their loss. */
interface Place {
  readonly loss: number;
  readonly W: Float32Array;
  readonly E: Float32Array;
}

async function placeOf({ W, E }: BitPhases, loss: number): Promise<Place> {
  return { loss, W: await W.read(), E: await E.read() };
}

function put({ W, E }: BitPhases, place: Place): void {
  W.write(place.W);
  E.write(place.E);
}

const count = z.int().check(z.nonnegative());
const state = z.object({
  at: z.object({
    epoch: count,
    start: count,
    batch: count,
    step: count,
    round: z.optional(count),
    begun: z.object({ epoch: count, seconds: z.number().check(z.nonnegative()) }),
    visited: z.object({ loss: z.number(), rows: count }),
  }),
  ridge: z.number().check(z.nonnegative()),
  ridgeDue: z.boolean(),
  relaxed: z.optional(z.number()),
  best: z.optional(z.object({ loss: z.number(), last: z.boolean() })),
});

/** The approximate cost of a round of the alternation, in passes of the relaxation. */
const ROUND_WORK = 8;
/** The share of a time budget for the relaxation, if the number of passes is not limited. */
const RELAX_TIME = 0.15;
/** The cost of flips, correlations and gaps at the end, in passes that measure the loss. */
const PASSES_AT_THE_END = 20;
/** A safety factor on this estimate. */
const CAUTION = 1.25;

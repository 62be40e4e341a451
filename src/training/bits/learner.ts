import * as z from 'zod/mini';
import { stateOf } from '../checkpoint/check.ts';
import { restored } from '../checkpoint/restored.ts';
import type { HistoryEntry } from '../loop/history.ts';
import type { Run } from '../loop/run.ts';
import type { Seen, Trainer, TrainerState } from '../loop/trainer.ts';
import { rateAt } from '../minibatch.ts';
import type { Settings } from '../settings.ts';
import type { Plan } from './plan.ts';
import { chooseBitsRidge, ridgeFromWeights } from './ridge.ts';
import type { Starts } from './starts.ts';
import type { BitsTrainer } from './trainer.ts';
import type { BitsValidation } from './validate.ts';

/**
 * Leads a trainer of bits through its two phases, pass by pass: `relaxed` passes of the relaxation from each
 * start, then rounds of the alternation. It ends with bits.
 *
 * The quality of the model depends on the start of the relaxation more than on the length of any phase, and
 * the loss of the bits after the relaxation predicts well which start will be best. So only the best start
 * goes on to the alternation.
 */
export class BitsLearner implements Trainer {
  readonly #bits: BitsTrainer;
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

  constructor(
    bits: BitsTrainer,
    settings: Settings,
    plan: Plan,
    starts: Starts,
    run: Run,
    validation?: BitsValidation,
  ) {
    this.#bits = bits;
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
    return this.#bits.at.epoch;
  }

  get share(): number {
    return this.#bits.share;
  }

  rate(): number {
    return this.#bits.relaxing ? rateAt(this.#settings.rate, this.#relaxProgress()) : 0;
  }

  work(epochs: number): number {
    const relaxing = this.#plan.starts * this.#plan.relaxed;
    return Math.min(epochs, relaxing) + ROUND_WORK * Math.max(0, epochs - relaxing);
  }

  /** Begins the next phase if one is over. An interrupted pass is finished first. */
  async begin(): Promise<void> {
    const bits = this.#bits;
    if (bits.relaxing && bits.at.batch === 0 && this.#relaxProgress() >= 1) {
      await bits.decide();
      if (this.#plan.starts > 1) this.#relaxed = await this.#better();
      if (this.#another()) await this.#starts.begin(bits, bits.at.start + 1, () => this.#run.course.seconds);
      else this.#goBack();
    }
    if (bits.relaxing || !this.#ridgeDue) return;
    if (this.#settings.ridgeFrom === 'weights') bits.ridge = await ridgeFromWeights(bits);
    else await chooseBitsRidge(bits, this.#validation!, this.#run);
    this.#ridgeDue = false;
  }

  visits(): AsyncIterable<number> {
    return this.#bits.relaxing
      ? this.#bits.relaxEpoch(() => this.#relaxProgress())
      : this.#bits.searchRound();
  }

  visitedLoss(): Promise<number> {
    return this.#bits.visitedLoss();
  }

  async endEpoch(): Promise<Seen> {
    const bits = this.#bits;
    const { relaxing } = bits;
    const rate = this.rate();
    await bits.visitedLoss();
    const at = bits.at;
    const W = await bits.W.read();
    try {
      const loss = await bits.endEpoch();
      if (relaxing) return { loss, rate };
      return { loss, rate, slack: await bits.meanLoss(), validation: await this.#validation?.loss(bits) };
    } catch (error) {
      // If the end of a round is interrupted, the weights are as before it.
      bits.W.write(W);
      bits.at = at;
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
      ? { ...(await placeOf(this.#bits, validation)), last: true }
      : { ...best, last: false };
    return better;
  }

  async end(): Promise<void> {
    if (this.#run.signal?.aborted) this.#bits.rest = this.#run.visiting;
    if (this.#bits.relaxing) {
      await this.#bits.decide();
      if (this.#relaxed) this.#relaxed = await this.#better();
      this.#goBack();
    }
    if (this.#best && !this.#best.last) put(this.#bits, this.#best);
  }

  async finishSeconds(): Promise<number> {
    const began = performance.now();
    await this.#bits.meanLoss();
    const passes = (PASSES_AT_THE_END * (performance.now() - began)) / 1000;
    // Rounds fit W at their end, whose time the loop measures itself.
    return CAUTION * (passes + (this.#bits.relaxing ? this.#bits.fitSeconds : 0));
  }

  async snapshot(): Promise<TrainerState> {
    const { ridge } = this.#bits;
    const relaxed = this.#relaxed;
    const best = this.#best;
    const arrays = await this.#bits.snapshot();
    return {
      arrays: { ...arrays, relaxedW: relaxed?.W, relaxedE: relaxed?.E, bestW: best?.W, bestE: best?.E },
      state: {
        at: this.#bits.at,
        ridge,
        ridgeDue: this.#ridgeDue,
        relaxed: relaxed?.loss,
        best: best && { loss: best.loss, last: best.last },
      } satisfies z.input<typeof state>,
    };
  }

  restore(from: TrainerState): void {
    const { at, ridge, ridgeDue, relaxed, best } = stateOf(from, state);
    this.#bits.restore(from, at);
    this.#bits.ridge = ridge;
    this.#ridgeDue = ridgeDue;
    const place = (name: string, loss: number) => ({
      loss,
      W: restored.array(from, `${name}W`, this.#bits.W.length, Float32Array),
      E: restored.array(from, `${name}E`, this.#bits.E.length, Float32Array),
    });
    this.#relaxed = relaxed === undefined ? undefined : place('relaxed', relaxed);
    this.#best = best && { ...place('best', best.loss), last: best.last };
  }

  /** The finished share of the relaxation from this start: of its passes or, without a limit, of its time. */
  #relaxProgress(): number {
    const { begun, epoch } = this.#bits.at;
    const passes = (epoch + this.share - begun.epoch) / this.#plan.relaxed;
    const seconds = this.#run.course.seconds - begun.seconds;
    const share = Number.isFinite(this.#relaxTime) ? (this.#plan.starts * seconds) / this.#relaxTime : passes;
    return Math.min(1, share);
  }

  /** Whether another start remains, and time for it if it takes as long as the earlier ones. */
  #another(): boolean {
    const done = this.#bits.at.start + 1;
    return done < this.#plan.starts && (this.#run.course.seconds * (done + 1)) / done <= this.#relaxTime;
  }

  /** The trainer's present bits and weights, or those of an earlier start if they are better. */
  async #better(): Promise<Place> {
    const loss = await this.#bits.meanLoss();
    const earlier = this.#relaxed;
    return earlier && earlier.loss <= loss ? earlier : placeOf(this.#bits, loss);
  }

  /** Puts the trainer back to the result of the best start. */
  #goBack(): void {
    if (this.#relaxed) put(this.#bits, this.#relaxed);
    this.#relaxed = undefined;
  }
}

/** Weights and codes, and their loss. */
interface Place {
  readonly loss: number;
  readonly W: Float32Array;
  readonly E: Float32Array;
}

async function placeOf({ W, E }: BitsTrainer, loss: number): Promise<Place> {
  return { loss, W: await W.read(), E: await E.read() };
}

function put({ W, E }: BitsTrainer, place: Place): void {
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

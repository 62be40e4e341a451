import type { Engine } from '../../engine/engine.ts';
import type { Checkpoint, CheckpointSink } from '../checkpoint/checkpoint.ts';
import { differencesOf, OtherRunError } from '../checkpoint/other-run.ts';
import { Course } from './course.ts';
import type { Stopped } from './history.ts';
import { Pace } from './pace.ts';
import type { Progress } from './progress.ts';

/** How a run is heard of, ended and resumed from outside. */
export interface Outside {
  readonly signal?: AbortSignal;
  readonly partial?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  readonly checkpoint?: CheckpointSink;
  readonly resume?: Checkpoint;
}

/** One run of learning: where it is worked on, its time, and who is told of it. */
export class Run {
  readonly course: Course;
  readonly pace: Pace<Progress>;
  /** Ends what it is at when the signal aborts. */
  readonly engine: Engine;
  /** For visits: where the state after an abort matters, a visit that has begun is ended first. */
  readonly visiting: Engine;
  readonly signal?: AbortSignal;
  readonly partial: boolean;
  readonly checkpoint?: CheckpointSink;
  readonly resumed?: Checkpoint;
  #fingerprint = '';

  constructor(
    engine: Engine,
    limits: { readonly epochs: number; readonly timeBudget: number },
    outside: Outside,
  ) {
    const { signal, checkpoint, resume, partial = false } = outside;
    this.engine = signal ? engine.until(signal) : engine;
    this.visiting = checkpoint || partial ? engine : this.engine;
    this.signal = signal;
    this.partial = partial;
    this.checkpoint = checkpoint;
    this.resumed = resume;
    // A run that is resumed has its time budget anew: the call, or the command, lasts as long as is asked.
    const budget = (resume?.progress.seconds ?? 0) + limits.timeBudget;
    this.course = new Course({ epochs: limits.epochs, budget }, resume?.progress);
    this.pace = new Pace(outside.onProgress);
  }

  get fingerprint(): string {
    return this.#fingerprint;
  }

  /** Whether anything will ask what the run was started with. */
  get identified(): boolean {
    return this.checkpoint !== undefined || this.resumed !== undefined;
  }

  /** Says what the run was started with, rows included; a checkpoint of another run is refused. */
  identify(fingerprint: string): void {
    this.#fingerprint = fingerprint;
    const there = this.resumed?.progress.fingerprint ?? fingerprint;
    if (there !== fingerprint)
      throw new OtherRunError('resume: the checkpoint', differencesOf(there, fingerprint));
  }

  /**
   * Where and how what was learned is finished, given why learning ended: in the time that is left, or as far
   * as it is. Work is begun as if a run had to end a little early; codes may end a little late rather than
   * stay unproven.
   */
  finishing(stopped: Stopped): Finishing {
    const { course } = this;
    if (stopped === 'aborted') return { engine: this.visiting, certify: false, left: () => 0 };
    if (stopped !== 'time') return { engine: this.engine, certify: true };
    const { early, late } = course;
    return {
      ...{ engine: this.engine, certify: true, late: early + late },
      left: () => course.budget - early - course.seconds,
    };
  }

  /** Tells of a phase without steps. */
  tell(phase: 'start' | 'finish', epoch: number, loss: number): void {
    const { seconds } = this.course;
    const fraction = phase === 'start' ? 0 : 1;
    this.pace.tell({ ...{ phase, fraction, epoch, loss, seconds }, rate: 0, rowsPerSecond: 0 });
  }
}

interface Finishing {
  readonly engine: Engine;
  readonly certify: boolean;
  /** Where time is limited: the seconds that are left for what can be left out. */
  readonly left?: () => number;
  /** How many more codes may take rather than stay unproven. */
  readonly late?: number;
}

import type { Engine } from '../../engine/engine.ts';
import type { Checkpoint, CheckpointSink } from '../checkpoint/checkpoint.ts';
import { differencesOf, OtherRunError } from '../checkpoint/other-run.ts';
import { Course } from './course.ts';
import type { Stopped } from './history.ts';
import { Pace } from './pace.ts';
import type { Progress } from './progress.ts';

/** How the outside observes, ends and resumes a run. */
export interface Outside {
  readonly signal?: AbortSignal;
  readonly partial?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  readonly checkpoint?: CheckpointSink;
  readonly resume?: Checkpoint;
}

/** One run of learning: its engine, its clock, and who receives progress and checkpoints. */
export class Run {
  readonly course: Course;
  readonly pace: Pace<Progress>;
  /** The engine whose operations reject once the signal aborts. */
  readonly engine: Engine;
  /** The engine for visits: if the state after an abort matters, a visit that has begun is finished first. */
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
    // A resumed run has its whole time budget again, because the budget is for one call.
    const budget = (resume?.progress.seconds ?? 0) + limits.timeBudget;
    this.course = new Course({ epochs: limits.epochs, budget }, resume?.progress);
    this.pace = new Pace(outside.onProgress);
  }

  get fingerprint(): string {
    return this.#fingerprint;
  }

  /** Whether the fingerprint will be needed. */
  get identified(): boolean {
    return this.checkpoint !== undefined || this.resumed !== undefined;
  }

  /** Sets the fingerprint of settings and rows; a checkpoint of another run is refused. */
  identify(fingerprint: string): void {
    this.#fingerprint = fingerprint;
    const there = this.resumed?.progress.fingerprint ?? fingerprint;
    if (there !== fingerprint)
      throw new OtherRunError('resume: the checkpoint', differencesOf(there, fingerprint));
  }

  /**
   * How to finish what was learned, given why learning ended: the engine, and the time that is left. Optional
   * work is begun only if it fits a little before the end of the budget; codes may end a little after it
   * rather than stay unproven.
   */
  finishing(stopped: Stopped): Finishing {
    const { course } = this;
    if (stopped === 'aborted') return { engine: this.visiting, certify: false, left: () => 0 };
    if (stopped !== 'time') return { engine: this.engine, certify: true };
    const { early, late } = course;
    return {
      engine: this.engine,
      certify: true,
      late: early + late,
      left: () => course.budget - early - course.seconds,
    };
  }

  /** Reports work besides the epochs of learning. */
  report(told: Pick<Progress, 'phase' | 'fraction' | 'epoch' | 'loss'> & Partial<Progress>): void {
    this.pace.report({ rate: 0, rowsPerSecond: 0, seconds: this.course.seconds, ...told });
  }
}

interface Finishing {
  readonly engine: Engine;
  readonly certify: boolean;
  /** If time is limited: the seconds that are left for optional work. */
  readonly left?: () => number;
  /** The additional seconds that codes may take rather than stay unproven. */
  readonly late?: number;
}

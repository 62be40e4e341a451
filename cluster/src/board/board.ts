import type { Spans } from '../spans.ts';
import type { Task } from '../task.ts';

/**
 * The contract of the control plane: what is to be done, who is at it, and word of what is done. It carries
 * names and small numbers only; blobs and answers are in the store. A board may lose or repeat anything:
 * tasks are pure and answers are kept once, so that nothing worse than repeated work comes of it.
 */
export interface Board {
  /** What to call it in messages: its address without credentials. */
  readonly name: string;
  /** Seconds without a sign of life after which somebody is taken for dead. */
  readonly lease: number;
  /** Puts tasks up, first things first. One that is up already stays where it is, and is its new owner's. */
  post(tasks: readonly Posted[]): Promise<void>;
  /** Makes tasks anybody's whose owner is not there any more. */
  free(tasks: readonly Posted[]): Promise<void>;
  /** Takes tasks down that need not be done any more. */
  withdraw(ids: readonly string[]): Promise<void>;
  /**
   * A task that nobody is at, if any: the worker's own first, then those that are anybody's, of which those
   * that `fits` says more of come first. It is held until it is let go of.
   */
  take(worker: string, fits: (task: Task) => number): Promise<Held | undefined>;
  /** What was done and what failed since the last time, once each, as far as the board still knows. */
  news(): Promise<News[]>;
  /** How many tasks are up: those that nobody is at, and those in somebody's hands. */
  open(): Promise<{ readonly waiting: number; readonly held: number }>;
  /** Tells everybody how a worker does, or how far a run has come. */
  tell(notice: Notice): Promise<void>;
  /** What was told last by each who told something in the last minute. */
  notices(): Promise<Heard[]>;
  close(): Promise<void>;
}

export interface Posted {
  readonly id: string;
  readonly task: Task;
  /** The worker that has what the task needs, and who alone takes it. None: anybody. */
  readonly owner?: string;
}

/** A task in hand. Others leave it alone while it is held, and take it when its holder has gone silent. */
export interface Held extends Posted {
  /** Its answer is in the store. */
  done(): Promise<void>;
  /** It could not be done, and why. It goes back on the board. */
  failed(why: string): Promise<void>;
  /** It goes back on the board as if it had never been taken. */
  release(): Promise<void>;
}

export type News =
  | { readonly id: string; readonly kind: 'done' }
  | { readonly id: string; readonly kind: 'failed'; readonly worker: string; readonly why: string };

export interface Notice {
  readonly name: string;
  readonly role: 'worker' | 'coordinator';
  readonly program: string;
  /** In words: what is being done. */
  readonly doing: string;
  /** Seconds since it began with that. */
  readonly since: number;
  readonly done: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** The shards of a manifest whose codes a worker has in memory. */
  readonly warm?: { readonly manifest: string; readonly shards: Spans };
}

export interface Heard extends Notice {
  /** Seconds since it was told. */
  readonly ago: number;
}

/** Seconds without a sign of life after which a task is anybody's. */
export const LEASE_SECONDS = 30;

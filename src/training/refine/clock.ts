import { sum } from '../../rows/sum.ts';
import type { Left } from '../seconds.ts';

/**
 * Decides what there is time for. It remembers how long each kind of work took when it was last done, under
 * the load of the moment and for these very rows. Without a limit there is time for everything.
 */
export class Clock {
  readonly #left?: Left;
  /** Seconds that each kind of work took last, or was expected to take. */
  readonly #took: Map<string, number>;
  readonly #now: () => number;
  /** Kinds of work for which time is reserved, because they will be done once more at the end. */
  readonly #toCome: string[] = [];

  constructor(
    left?: Left,
    expected: Readonly<Record<string, number>> = {},
    now: () => number = () => performance.now(),
  ) {
    this.#left = left;
    this.#took = new Map(Object.entries(expected));
    this.#now = now;
  }

  get limited(): boolean {
    return this.#left !== undefined;
  }

  /** Does work of a kind and remembers how long it took. */
  async take<T>(kind: string, work: () => Promise<T>): Promise<T> {
    const began = this.#now();
    const done = await work();
    this.#took.set(kind, (this.#now() - began) / 1000);
    return done;
  }

  /** The same for work that will be done again at the end, for which time is reserved from now on. */
  async takeTwice<T>(kind: string, work: () => Promise<T>): Promise<T> {
    const done = await this.take(kind, work);
    this.#toCome.push(kind);
    return done;
  }

  /** Whether there is time for work of all these kinds, besides the reserved time. */
  fits(...kinds: readonly string[]): boolean {
    if (!this.#left) return true;
    const seconds = [...kinds, ...this.#toCome].map((kind) => this.#took.get(kind) ?? 0);
    return this.#left() > sum(seconds);
  }

  /**
   * For work of no kind: returns a function that is called between pieces of it. The function tells whether
   * there is time for one more piece, as long as the longest so far.
   */
  laps(): () => boolean {
    let before = this.#now();
    let longest = 0;
    return () => {
      const now = this.#now();
      longest = Math.max(longest, (now - before) / 1000);
      before = now;
      return !this.#left || (this.fits() && this.#left() > longest);
    };
  }

  /** To be called when weights have changed: measures anew how long the final codes take. */
  async renew(): Promise<void> {
    await this.#left?.renew();
  }
}

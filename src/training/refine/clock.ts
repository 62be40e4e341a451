import type { Left } from '../seconds.ts';

/**
 * What there is time for, told by how long each kind of work took when it was last done: under the load of
 * the moment, and for these very rows. Without a limit there is time for everything.
 */
export class Clock {
  readonly #left?: Left;
  /** Seconds that each kind of work took last, or was expected to take. */
  readonly #took: Map<string, number>;
  readonly #now: () => number;
  /** Kinds of work that will be done once more, whatever else is done. */
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

  /** Does some work, and remembers how long it took. */
  async take<T>(kind: string, work: () => Promise<T>): Promise<T> {
    const began = this.#now();
    const done = await work();
    this.#took.set(kind, (this.#now() - began) / 1000);
    return done;
  }

  /** The same for what will be done again in the end: there is always time left for it. */
  async takeTwice<T>(kind: string, work: () => Promise<T>): Promise<T> {
    const done = await this.take(kind, work);
    this.#toCome.push(kind);
    return done;
  }

  /** Whether there is time for all of these, and for what comes after them. */
  fits(...kinds: readonly string[]): boolean {
    if (!this.#left) return true;
    const seconds = [...kinds, ...this.#toCome].map((kind) => this.#took.get(kind) ?? 0);
    return this.#left() > seconds.reduce((sum, each) => sum + each, 0);
  }

  /**
   * For work without a name: whether there is time for as much as the most that was done between two
   * questions.
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

  /** Weights have changed: what comes after may take longer. */
  async renew(): Promise<void> {
    await this.#left?.renew();
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { type Crew, complete, working } from '../complete.ts';
import { numbersIn, type Spans, spansOf } from '../spans.ts';
import type { Answer, Task } from '../task.ts';

/** A worker and its shards. */
export interface Hand {
  readonly owner: string;
  readonly shards: Spans;
}

/**
 * Who works on which shards of a run. A worker keeps its shards for as long as it lives, since it has their
 * rows and codes in memory; those of workers that are gone go to the others, and who joins gets some of
 * everybody's. What is learned does not depend on it.
 */
export class Deal {
  readonly #crew: Crew;
  readonly #run: string;
  /** The owner of each shard. */
  #owners: readonly (string | undefined)[];

  /** `run` is what workers call the codes that they have in memory. */
  constructor(crew: Crew, shards: number, run: string) {
    this.#crew = crew;
    this.#run = run;
    this.#owners = Array(shards).fill(undefined);
  }

  /** Deals all shards to those who are there, and waits for somebody to be. */
  async hands(): Promise<Hand[]> {
    const { board, signal } = this.#crew;
    let workers = await working(board);
    for (; workers.length === 0; workers = await working(board)) await sleep(WAIT_MS, undefined, { signal });
    // A coordinator that was started again asks the workers what they have.
    if (this.#owners.every((owner) => owner === undefined)) {
      const owners: (string | undefined)[] = [...this.#owners];
      for (const { name, warm } of workers)
        if (warm?.manifest === this.#run)
          for (const shard of numbersIn(warm.shards)) if (shard < owners.length) owners[shard] = name;
      this.#owners = owners;
    }
    this.#owners = dealt(
      this.#owners,
      workers.map(({ name }) => name),
    );
    return workers
      .map(({ name }) => ({
        owner: name,
        shards: spansOf([...this.#owners.keys()].filter((shard) => this.#owners[shard] === name)),
      }))
      .filter(({ shards }) => shards.length > 0);
  }

  /** Has a task done for the shards of each hand, by its owner. */
  async ask(hands: readonly Hand[], task: (shards: Spans) => Task): Promise<Answer[]> {
    return complete(
      hands.map(({ shards }) => task(shards)),
      this.#crew,
      hands.map(({ owner }) => owner),
    );
  }

  /** Has a task done for each shard, by its owner. */
  async askEach(tasks: readonly Task[]): Promise<Answer[]> {
    await this.hands();
    return complete(tasks, this.#crew, this.#owners);
  }
}

/**
 * Owners of shards such that nobody has more than one shard more than another, and few shards change hands.
 */
export function dealt(owners: readonly (string | undefined)[], workers: readonly string[]): string[] {
  const names = [...new Set(workers)].sort();
  const least = Math.floor(owners.length / names.length);
  let more = owners.length % names.length;
  const counts = new Map(names.map((name) => [name, 0]));
  /** Whether somebody may have one more. */
  const takes = (name: string): boolean => {
    const count = counts.get(name);
    if (count === undefined || count > least || (count === least && more === 0)) return false;
    if (count === least) more--;
    counts.set(name, count + 1);
    return true;
  };
  const kept = owners.map((owner) => (owner !== undefined && takes(owner) ? owner : undefined));
  // Neighbours go to the same hand.
  let at = 0;
  return kept.map((owner) => {
    if (owner !== undefined) return owner;
    while (!takes(names[at])) at++;
    return names[at];
  });
}

const WAIT_MS = 50;

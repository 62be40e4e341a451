import type { DataFacts, Played } from '../work/desk/calls.ts';
import { desk } from './desk.svelte.ts';
import { latest } from './fetched.svelte.ts';
import type { Run } from './run.svelte.ts';

/**
 * A row in somebody's hands: its entries, its code, and what that decodes to. Each may be changed, the others
 * follow.
 */
export class Hand {
  /** V entries in [-1, 1]; NaN is hidden. */
  values = $state.raw<Float32Array>(new Float32Array(0));
  code = $state.raw<Float32Array>(new Float32Array(0));
  decoded = $state.raw<Float32Array>(new Float32Array(0));
  /** Probabilities: of hidden entries, by what is known of the row. */
  filled = $state.raw<Float32Array | undefined>();
  loss = $state<number | undefined>();
  best = $state.raw<Pick<Played, 'code' | 'loss' | 'gap'> | undefined>();
  /** Milliseconds that the last answer took. */
  took = $state(0);
  encoding = $state(false);
  decoding = $state(false);
  /** Moves of the code so far: an answer to something earlier never undoes what a visitor has done since. */
  #moves = 0;
  readonly run: Run;
  readonly set?: DataFacts;

  constructor(run: Run, set?: DataFacts) {
    this.run = run;
    this.set = set;
  }

  /** Takes up a row: its code is found, and the rest follows. */
  take(values: Float32Array): void {
    this.values = values;
    this.encoding = true;
    this.#encode();
  }

  /** Changes entries of the row. */
  change(changes: readonly (readonly [v: number, x: number])[]): void {
    const values = this.values.slice();
    for (const [v, x] of changes) values[v] = x;
    this.take(values);
  }

  /** Moves the code; the row stays as it is. */
  move(code: Float32Array): void {
    this.code = code;
    this.#moves++;
    this.decoding = true;
    this.#decode();
  }

  /** Whether what is shown is still that of before the last change. */
  get busy(): boolean {
    return this.encoding || this.decoding;
  }

  get hidden(): number {
    return this.values.reduce((sum, x) => sum + (Number.isNaN(x) ? 1 : 0), 0);
  }

  readonly #encode = latest(async () => {
    const { values } = this;
    const moves = this.#moves;
    try {
      const began = performance.now();
      const given = { model: this.run.id, values, data: this.set?.id };
      const { code, decoded, loss, gap, filled } = await desk.ask('encode', given);
      if (values !== this.values) return;
      this.took = performance.now() - began;
      this.best = { code, loss, gap };
      this.filled = values.some((x) => Number.isNaN(x)) ? filled : undefined;
      if (moves === this.#moves) Object.assign(this, { code, decoded, loss });
    } finally {
      if (values === this.values) this.encoding = false;
    }
  });

  readonly #decode = latest(async () => {
    const { code, values } = this;
    const moves = this.#moves;
    try {
      const began = performance.now();
      const { decoded, loss } = await desk.ask('decode', { model: this.run.id, code, values });
      if (moves !== this.#moves || values !== this.values) return;
      this.took = performance.now() - began;
      this.decoded = decoded;
      this.loss = loss;
    } finally {
      if (moves === this.#moves) this.decoding = false;
    }
  });
}

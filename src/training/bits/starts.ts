import type { Block, Engine } from '../../engine/engine.ts';
import { type Rows, takeRows } from '../../rows/rows.ts';
import { permutation } from '../../rows/split.ts';
import type { Settings } from '../settings.ts';
import { baseRateScore } from '../start/start.ts';
import { type Components, codesFromHalfSpaces, halfSpaces, principalComponents } from './half-spaces.ts';
import type { BitPhases } from './phases.ts';

/**
 * Makes the starts of the relaxation: codes from half-spaces, rotated differently for each start, weights
 * from a few steps on these codes, and the bias at the base rates.
 */
export class Starts {
  readonly #engine: Engine;
  readonly #rows: Rows;
  readonly #block: Block;
  readonly #settings: Settings;
  /** The principal components of a sample of the rows, found at the first start. */
  #components: Components | undefined;

  constructor(engine: Engine, rows: Rows, block: Block, settings: Settings) {
    this.#engine = engine;
    this.#rows = rows;
    this.#block = block;
    this.#settings = settings;
  }

  /** Puts learning at start k, counted from 0; `clock` returns the seconds of learning so far. */
  async begin(phases: BitPhases, k: number, clock: () => number = () => 0): Promise<void> {
    const { H, seed, ridge } = this.#settings;
    this.#components ??= await this.#principalComponents();
    const spaces = await halfSpaces(this.#engine, this.#components, H, seed + 15_485_863 * k);
    await codesFromHalfSpaces(this.#engine, this.#block, spaces, phases.E);
    const W = new Float32Array(phases.W.length);
    this.#components.mean.forEach((mean, v) => {
      W[v * phases.width + H] = baseRateScore(mean, this.#rows.n);
    });
    phases.W.write(W);
    await phases.fitWeights(STEPS, Math.max(RIDGE, ridge));
    await phases.loosen();
    phases.relax(k, clock());
  }

  free(): void {
    this.#components?.Y.free();
  }

  async #principalComponents(): Promise<Components> {
    const { H, seed } = this.#settings;
    const { n } = this.#rows;
    if (n <= SAMPLE) return principalComponents(this.#engine, this.#block, H, seed);
    const sample = this.#engine.load(takeRows(this.#rows, permutation(n, seed).subarray(0, SAMPLE)));
    const components = await principalComponents(this.#engine, sample, H, seed);
    sample.free();
    return components;
  }
}

/** Conjugate-gradient steps on the first weights, and their ridge; the codes are still rough. */
const STEPS = 6;
const RIDGE = 1e-3;
/** Rows that half-spaces are computed from; they hardly change with more. */
const SAMPLE = 10_000;

import type { Block, Engine, Floats, Point } from '../engine/engine.ts';
import { floatsOf, widthOf } from '../engine/engine.ts';
import { meanCurvature, unitCurvatures } from '../engine/expected-loss.ts';
import type { Certificates } from '../engine/proofs.ts';
import type { Rows } from '../rows/rows.ts';
import { clearCodes, measureCodes, withoutBias, withRows } from './codes.ts';
import { type Coded, type Decoder, type Encoded, Encoder } from './encode.ts';
import { gaussians } from './gaussians.ts';

/** How hard to search for the bits of a row; `exhaustive` tries all 2^H codes, for H up to 16. */
export type Effort = 'fast' | 'default' | 'thorough' | 'exhaustive';

export interface BitsOptions {
  readonly effort?: Effort;
  /** Fixes the random starts, which are the same for every row. Default 1. */
  readonly seed?: number;
  /** Also solve each row's convex relaxation, which proves the smallest gap it can. Default false. */
  readonly bound?: boolean;
}

/**
 * Finds codes of true bits for new rows. Annealed mean field runs from several starts, in the first of which
 * all bits are undecided; a search on quadratic models continues from each result, and flips bring the best
 * code to a local optimum. All rows share the starts, so that a row's code depends on that row, the model and
 * the seed alone.
 *
 * Gaps are proven over the box, the convex relaxation of the bits: no code of any kind in [-1, 1]^H has a
 * loss below losses[i] - gaps[i]. Without `bound` the proof is the gradient's at the code itself, which costs
 * next to nothing. Losses are in float32, and gaps include its error. If all codes were tried, no better one
 * exists and gaps are 0.
 */
export class BitEncoder {
  readonly #engine: Engine;
  readonly #decoder: Decoder;
  readonly #options: BitsOptions;
  readonly #W: Floats;
  readonly #curvatures: Floats;
  readonly #starts: Floats;
  readonly #relaxation?: Encoder;

  private constructor(engine: Engine, decoder: Decoder, options: BitsOptions, relaxation?: Encoder) {
    const { shape, W, curvature } = decoder;
    const { H } = shape;
    this.#engine = engine;
    this.#decoder = decoder;
    this.#options = options;
    this.#relaxation = relaxation;
    this.#W = floatsOf(engine, W);
    this.#curvatures = floatsOf(engine, unitCurvatures(W, curvature, H));
    const { starts } = searches[options.effort ?? 'default'];
    this.#starts = floatsOf(engine, randomStarts(starts, H, options.seed ?? 1));
  }

  static async create(engine: Engine, decoder: Decoder, options: BitsOptions = {}): Promise<BitEncoder> {
    checkEffort(options.effort ?? 'default', decoder.shape.H);
    const relaxed = options.bound && options.effort !== 'exhaustive';
    const relaxation = relaxed ? await Encoder.create(engine, { ...decoder, radius: 1 }) : undefined;
    return new BitEncoder(engine, decoder, options, relaxation);
  }

  /** Encodes a few thousand rows at once; a relaxed code is solved to within `tolerance` nats. */
  async encode(rows: Rows, tolerance: number): Promise<Encoded> {
    const { H } = this.#decoder.shape;
    const width = widthOf(this.#decoder.shape);
    return withRows(this.#engine, rows, width, async (block, E) => {
      const { losses, gaps, flips } = await this.encodeBlock({ block, E }, tolerance);
      const codes = withoutBias(await E.read(), H, width);
      return { n: rows.n, H, codes, losses, gaps, flipOptimal: new Uint8Array(rows.n).fill(flips) };
    });
  }

  /**
   * Encodes rows that are in the engine already, into E. No code can be improved by `flips` flips at once.
   */
  async encodeBlock(
    { block, E }: Pick<Coded, 'block' | 'E'>,
    tolerance: number,
  ): Promise<Certificates & { readonly flips: number }> {
    const { shape } = this.#decoder;
    clearCodes(E, shape);
    const flips = await this.search(block, E);
    const { losses, gaps } = await measureCodes(this.#engine, this.#at(block, E), 1);
    const relaxed = await this.#relaxed(block, E.length, tolerance);
    for (let i = 0; i < block.n; i++) {
      if (relaxed)
        gaps[i] = Math.max(0, Math.min(gaps[i], losses[i] - (relaxed.losses[i] - relaxed.gaps[i])));
      // The proof must hold for the true loss, not only for the rounded one.
      gaps[i] += ROUNDING * (losses[i] + gaps[i]);
    }
    if (this.#options.effort === 'exhaustive') gaps.fill(0);
    return { losses, gaps, flips };
  }

  /** The best codes in the box, if they are asked for. */
  async #relaxed(block: Block, length: number, tolerance: number): Promise<Certificates | undefined> {
    if (!this.#relaxation) return undefined;
    const E = this.#engine.floats(length);
    const certificates = await this.#relaxation.encodeBlock({ block, E }, tolerance);
    E.free();
    return certificates;
  }

  /** Writes a code for each row into E. Returns how many flips at once cannot improve any of them. */
  async search(block: Block, E: Floats, losses?: Floats): Promise<number> {
    const effort = this.#options.effort ?? 'default';
    const at = this.#at(block, E);
    if (effort === 'exhaustive') {
      await this.#engine.enumerate(at, losses);
      return this.#decoder.shape.H;
    }
    const { expansions, pairs } = searches[effort];
    await this.#engine.anneal(at, {
      ...annealing(await this.#curvatures.read(), expansions),
      starts: this.#starts,
      curvatures: this.#curvatures,
      keep: false,
    });
    await this.#engine.flip(at, { sweeps: FLIP_SWEEPS, pairs, losses });
    return pairs ? Math.min(2, this.#decoder.shape.H) : 1;
  }

  free(): void {
    for (const floats of [this.#W, this.#curvatures, this.#starts]) floats.free();
    this.#relaxation?.free();
  }

  #at(block: Block, E: Floats): Point {
    const { shape, loss } = this.#decoder;
    return { block, shape, W: this.#W, E, loss };
  }
}

/**
 * The schedule of one search, for units of these curvatures. Temperatures are shares of the mean curvature,
 * the cost of an undecided bit: at the hot end bits stay undecided, at the cold end most are settled. The
 * more bits depend on one another, the more steps they take. Bits that are still open at the end are decided
 * on a quadratic model of the loss.
 */
export function annealing(curvatures: Float32Array, expansions = 1) {
  const scale = meanCurvature(curvatures);
  return {
    iterations: Math.round(14 * Math.max(1, curvatures.length / 32)),
    hot: 0.6 * scale,
    cold: 0.4 * scale,
    damping: 0.2,
    sweeps: 2,
    probing: { expansions, stretches: 8, steps: 50 },
  };
}

const searches = {
  fast: { starts: 1, expansions: 1, pairs: false },
  default: { starts: 2, expansions: 1, pairs: false },
  thorough: { starts: 16, expansions: 2, pairs: true },
  exhaustive: { starts: 1, expansions: 0, pairs: false },
} as const;

/** Relative error of losses and gaps that were summed in float32. */
const ROUNDING = 2e-6;
/** Far more sweeps than needed: flips end when none helps. */
const FLIP_SWEEPS = 100;
/** The most bits for which all codes can be tried. */
export const MOST_ENUMERATED = 16;

/**
 * Starting parameters of the bits: all undecided in the first start, standard normal numbers in the others.
 */
function randomStarts(count: number, H: number, seed: number): Float64Array {
  const starts = gaussians(count * H, seed);
  starts.fill(0, 0, H);
  return starts;
}

function checkEffort(effort: Effort, H: number): void {
  if (!(effort in searches)) {
    const known = Object.keys(searches).join(', ');
    throw new RangeError(`encode: effort must be one of ${known}; got ${effort}`);
  }
  if (effort === 'exhaustive' && H > MOST_ENUMERATED) {
    throw new RangeError(
      `encode: effort 'exhaustive' tries all 2^H codes and is for H up to ${MOST_ENUMERATED}; this model has H = ${H}`,
    );
  }
}

import { z } from 'zod';
import { fromJson, toJson } from '../json.ts';
import { advanced, type Turn, weightsBytes } from '../work/advance.ts';
import { arraysFromBytes, arraysToBytes, type Numbers } from '../work/weights-file.ts';
import type { TrainJob } from './job.ts';

/** Where learning stands between two rounds: two blobs, by their hashes. */
export interface Standing {
  /** A `RoundState`. */
  readonly state: string;
  /** A `Way`. */
  readonly way: string;
}

/** Where a round leads. */
export interface RoundState {
  /** What the next round begins with. */
  readonly W: Float32Array;
  /** Where the step of this round led. */
  readonly G: Float32Array;
  /** Mean over rows of Psi''(m_v) / 2. */
  readonly curvature: Float32Array;
  /** The largest |e_h| of each unit. */
  readonly reach: Float64Array;
  /** Mean loss of all rows at their codes, before W took its step. */
  readonly loss: number;
  /** What the next round's loss must not exceed. */
  readonly limit: number;
  /** The share of its way that W is extrapolated by next. */
  readonly momentum: number;
}

/** How learning came there: what tasks of the next round name. */
export interface Way {
  /** Hashes of the weights that codes went through, since they began at 0. */
  readonly path: readonly string[];
  /** The weights of the next round. */
  readonly next: string;
  /** What workers can work those out from: see `advance.ts`. */
  readonly hints: Readonly<Record<string, string>>;
  /** Blobs that only rounds before have read. */
  readonly over: readonly string[];
}

/** Where the first round begins: no codes yet. */
export async function firstStanding(job: TrainJob, state: string): Promise<Standing> {
  const next = await job.crew.store.put(weightsBytes((await readState(job, state)).W));
  return { state, way: await job.crew.store.put(wayBytes({ path: [], next, hints: {}, over: [] })) };
}

export function stateBytes({ loss, limit, momentum, ...arrays }: RoundState): Uint8Array {
  return arraysToBytes({ ...arrays, numbers: Float64Array.of(loss, limit, momentum) });
}

export async function readState(job: TrainJob, hash: string): Promise<RoundState> {
  const { V, H, width } = job;
  const lengths = { W: V * width, G: V * width, curvature: V, reach: H, numbers: 3 };
  const { W, G, curvature, reach, numbers } = await readArrays(job, hash, lengths, 'the state of a round');
  const [loss, limit, momentum] = numbers;
  return {
    ...{ W: W as Float32Array, G: G as Float32Array, curvature: curvature as Float32Array },
    ...{ reach: reach as Float64Array, loss, limit, momentum },
  };
}

/** The state after a round that went so far along its step. */
export function stateAfter(
  { W, G, momentum }: RoundState,
  d: Float32Array,
  turn: Turn,
  sums: Pick<RoundState, 'curvature' | 'reach' | 'loss'>,
): RoundState {
  const more = momentum > 0 ? Math.min(MOST, momentum + MORE) : FIRST;
  return { ...advanced({ W, G, d }, turn), ...sums, limit: sums.loss, momentum: more };
}

/** The state after a round that counts for nothing: the next one begins where W had not been extrapolated. */
export function stateDiscarded(state: RoundState): RoundState {
  return { ...state, W: state.G, limit: Number.POSITIVE_INFINITY, momentum: state.momentum / 2 };
}

export function wayBytes(way: Way): Uint8Array {
  return toJson(way);
}

export async function readWay({ crew }: TrainJob, hash: string): Promise<Way> {
  return fromJson(waySchema, await crew.store.get(hash, 'the way of a run'));
}

/** Removes what led to a standing and is not needed to go on from it. */
export async function tidy(job: TrainJob, { way }: Standing): Promise<void> {
  for (const hash of (await readWay(job, way)).over) await job.crew.store.drop(hash);
}

export async function readArrays<Name extends string>(
  { crew }: TrainJob,
  hash: string,
  lengths: Readonly<Record<Name, number>>,
  what: string,
): Promise<Record<Name, Numbers>> {
  return arraysFromBytes(await crew.store.get(hash, what), lengths, what);
}

const waySchema = z.object({
  ...{ path: z.array(z.string()), next: z.string() },
  ...{ hints: z.record(z.string(), z.string()), over: z.array(z.string()) },
});

/** By which share of its last change W is extrapolated: first, growth and most; chosen on held-out rows. */
const FIRST = 0.5;
const MORE = 0.1;
const MOST = 0.9;

import { z } from 'zod';
import { complete } from '../complete.ts';
import { treeSum } from '../sum.ts';
import { type Answer, PROGRAM, type Task, type TaskKind } from '../task.ts';
import { packedSize } from '../work/hessians.ts';
import { LENGTHS } from '../work/search.ts';
import { arraysFromBytes, arraysToBytes } from '../work/weights-file.ts';
import { coordinated } from './coordinated.ts';
import type { TrainJob } from './job.ts';
import { lengthsOf, newtonStep, slopeOf } from './newton-step.ts';
import { tasksOf } from './table.ts';

/** Where learning stands between two rounds: two blobs, by their hashes. */
export interface Standing {
  /** A `RoundState`. */
  readonly weights: string;
  /** The codes of all shards, and what nobody needs any more. */
  readonly list: string;
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
  /** The share of its way that W runs on next. */
  readonly momentum: number;
}

/** Where the first round begins: no codes yet. */
export async function firstStanding({ crew }: TrainJob, weights: string): Promise<Standing> {
  return { weights, list: await crew.store.put(listBytes({ codes: [], over: [] })) };
}

/**
 * One round. Every shard's codes are brought on and sums over its rows come back; they give Newton's step of W. Slopes along that
 * step come back, and say how far each bit goes. W then runs on a share of the way that it went since the last round:
 * codes and weights in turns creep along valleys in which both have to move together. That share grows, until W has run too
 * far: where the loss has risen, the round counts for nothing, and the next one begins where W had not run on.
 */
export async function nextStanding(job: TrainJob, round: number, at: Standing): Promise<Standing> {
  const { crew, V, H, width, n } = job;
  const { outputs } = await coordinated(ownTask(job, 'step', round, at), crew, async () => {
    await tidy(job, at);
    const before = await readList(job, at.list);
    const state = await readState(job, at.weights);
    const rounds = await complete(roundTasks(job, round, at.weights, before.codes), crew);
    const codes = rounds.map((answer) => answer.outputs.codes);
    const { outputs: aim } = await coordinated(ownTask(job, 'aim', round, at), crew, () =>
      aimOf(job, state, rounds),
    );
    const lengths = { d: V * width, slope: V * width, curvature: V, reach: H, loss: 1 };
    const found = await readArrays(job, aim.aim, lengths, 'the step of W');
    const used = [...rounds.map((answer) => answer.outputs.sums), aim.aim];
    const loss = found.loss[0] / n;
    if (loss > state.limit)
      return standing({ ...state, W: state.G, limit: Infinity, momentum: state.momentum / 2 }, before.codes, [
        ...used,
        ...codes,
      ]);
    const searching = tasksOf(job.table, 'search', (shard) => ({
      inputs: { weights: at.weights, aim: aim.aim, codes: codes[shard] },
      options: { round, H },
    }));
    const searches = await complete(searching, crew);
    const G = await stepped(job, state, found, searches);
    const next = {
      ...{ W: G.map((g, k) => g + state.momentum * (g - state.G[k])), G, loss, limit: loss },
      ...{ curvature: found.curvature as Float32Array, reach: found.reach as Float64Array },
      momentum: state.momentum > 0 ? Math.min(MOST, state.momentum + MORE) : FIRST,
    };
    const slopes = searches.map((answer) => answer.outputs.slopes);
    return standing(next, codes, [...used, ...slopes, ...before.codes]);
  });
  return { weights: outputs.weights, list: outputs.list };
}

/** The blobs of a standing: the state, the codes of all shards, and what is over with it. */
function standing(state: RoundState, codes: readonly string[], over: readonly string[]) {
  const { loss, limit, momentum, ...arrays } = state;
  const numbers = Float64Array.of(loss, limit, momentum);
  return { weights: arraysToBytes({ ...arrays, numbers }), list: listBytes({ codes, over }) };
}

/** Removes what led to a standing and is not needed to go on from it. */
export async function tidy({ crew, ...job }: TrainJob, { list }: Standing): Promise<void> {
  const { over } = await readList({ crew, ...job }, list);
  for (const hash of over) await crew.store.drop(hash);
}

export async function readState(job: TrainJob, hash: string): Promise<RoundState> {
  const { V, H, width } = job;
  const lengths = { W: V * width, G: V * width, curvature: V, reach: H, numbers: 3 };
  const { W, G, curvature, reach, numbers } = await readArrays(job, hash, lengths, 'the weights of a round');
  const [loss, limit, momentum] = numbers;
  return {
    ...{ W: W as Float32Array, G: G as Float32Array, curvature: curvature as Float32Array },
    ...{ reach: reach as Float64Array, loss, limit, momentum },
  };
}

export async function readArrays<Name extends string>(
  { crew }: TrainJob,
  hash: string,
  lengths: Readonly<Record<Name, number>>,
  what: string,
): Promise<Record<Name, Float32Array | Float64Array>> {
  return arraysFromBytes(await crew.store.get(hash, what), lengths, what);
}

function roundTasks({ table, H, ridge }: TrainJob, round: number, weights: string, codes: readonly string[]) {
  const codeSteps = codes.length > 0 ? CODE_STEPS : FIRST_STEPS;
  return tasksOf(table, 'round', (shard) => ({
    inputs: { weights, ...(codes.length > 0 && { codes: codes[shard] }) },
    options: { round, H, ridge, codeSteps },
  }));
}

function ownTask({ table, H, ridge }: TrainJob, kind: TaskKind, round: number, at: Standing): Task {
  const inputs = { weights: at.weights, list: at.list };
  return { program: PROGRAM, kind, manifest: table.hash, shard: 0, inputs, options: { round, H, ridge } };
}

/** Newton's step from the sums of all shards, with the sums that the end of the round needs. */
async function aimOf(job: TrainJob, { W }: RoundState, answers: readonly Answer[]) {
  const { V, H, n, width, ridge } = job;
  const lengths = {
    ...{ gradient: V * width, hessians: V * packedSize(width), curvature: V, reach: H, loss: 1 },
  };
  const parts: Record<keyof typeof lengths, Float32Array | Float64Array>[] = [];
  for (const { outputs } of answers)
    parts.push(await readArrays(job, outputs.sums, lengths, 'sums of a shard'));
  const total = (name: keyof typeof lengths) => treeSum(parts.map((part) => part[name]));
  const sums = { gradient: total('gradient'), hessians: total('hessians') };
  const options = { n, H, ridge, width };
  const reach = new Float64Array(H).map((_, h) => Math.max(...parts.map((part) => part.reach[h])));
  return {
    aim: arraysToBytes({
      ...{ d: newtonStep(W, sums, options), slope: slopeOf(W, sums.gradient, options), reach },
      ...{ curvature: Float32Array.from(total('curvature'), (sum) => sum / n), loss: total('loss') },
    }),
  };
}

/** W as far along its step as the slopes of all shards say. */
async function stepped(
  job: TrainJob,
  { W }: RoundState,
  { d, slope }: Record<'d' | 'slope', Float32Array | Float64Array>,
  answers: readonly Answer[],
): Promise<Float32Array> {
  const { V, H, n, width, ridge } = job;
  const parts: (Float32Array | Float64Array)[] = [];
  for (const { outputs } of answers) {
    const lengths = { slopes: LENGTHS.length * V };
    parts.push((await readArrays(job, outputs.slopes, lengths, 'slopes of a shard')).slopes);
  }
  const sums = treeSum(parts);
  const along = (length: number, of: (v: number, k: number) => number) =>
    Float64Array.from({ length: V }, (_, v) => {
      let sum = of(v, v * width);
      // The ridge's own slope at W + length d.
      for (let k = v * width; length > 0 && k < v * width + H; k++)
        sum += ridge * (W[k] + length * d[k]) * d[k];
      return sum;
    });
  const atStart = along(0, (_, first) => {
    let sum = 0;
    for (let k = first; k < first + width; k++) sum += slope[k] * d[k];
    return sum;
  });
  const slopes = LENGTHS.map((length, k) => along(length, (v) => sums[k * V + v] / n));
  const lengths = lengthsOf([0, ...LENGTHS], [atStart, ...slopes], V);
  return W.map((w, k) => w + lengths[Math.floor(k / width)] * d[k]);
}

interface List {
  /** A blob per shard. */
  readonly codes: readonly string[];
  /** Blobs that only the rounds before have read. */
  readonly over: readonly string[];
}

const listSchema = z.object({ codes: z.array(z.string()), over: z.array(z.string()) });

function listBytes(list: List): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(list));
}

async function readList({ crew }: TrainJob, hash: string): Promise<List> {
  return listSchema.parse(
    JSON.parse(new TextDecoder().decode(await crew.store.get(hash, 'the list of codes'))),
  );
}

/** The share of its way that W runs on: the first, what it grows by, and the most; chosen on rows held out (docs/cluster.md). */
const FIRST = 0.5;
const MORE = 0.1;
const MOST = 0.9;
/** Newton's steps on codes that start from nothing, and on those that the round before left. */
const FIRST_STEPS = 8;
const CODE_STEPS = 2;

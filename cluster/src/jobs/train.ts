import { crossEntropy, type HistoryEntry, PCAE, type TrainingRecord } from 'pc-ae';
import { widthOf } from 'pc-ae/engine';
import { collect, type Rows } from 'pc-ae/rows';
import { type Crew, complete } from '../complete.ts';
import { rowsFromBytes, rowsToBytes } from '../rows-file.ts';
import { treeSum } from '../sum.ts';
import { type Answer, PROGRAM, type Task, taskId } from '../task.ts';
import { packedSize } from '../work/hessians.ts';
import { arraysFromBytes, arraysToBytes } from '../work/weights-file.ts';
import { extrapolate } from './extrapolate.ts';
import { newtonStep } from './newton-step.ts';
import { type ShardedTable, tasksOf } from './table.ts';

export interface TrainJobOptions {
  /** Numbers in a code. */
  readonly H: number;
  /** Where codes live. Default 'box'. */
  readonly encoding?: 'box' | 'real';
  /** Rounds over all shards. Default 12. */
  readonly rounds?: number;
  /** Rows that the start is learned from. Default 20,000. */
  readonly sampleRows?: number;
  /** Passes over those. Default: what `fit` takes. */
  readonly sampleEpochs?: number;
  readonly seed?: number;
  /** Hears of each round: its number and the mean loss of all rows there. */
  readonly onRound?: (round: number, loss: number) => void;
}

/**
 * Learns a model of a table in rounds. It begins with what one machine learns from a sample. Then, in each round, W goes out,
 * each shard's codes are brought on and sums over its rows come back (`work/round.ts`), and W takes a Newton step
 * (`newton-step.ts`), carried on by what the last rounds have taught (`extrapolate.ts`). At last all codes are proven and the model remembers what it does of the data, as `fit` ends.
 *
 * Every step is a task with an answer in the store, the step of a round too: a coordinator that is started again goes on.
 */
export async function trainTable(table: ShardedTable, options: TrainJobOptions, crew: Crew): Promise<PCAE> {
  const { H, encoding = 'box', rounds = ROUNDS, seed = 1 } = options;
  const { n, V } = table.manifest;
  const job: Job = { table, crew, H, V, n, width: widthOf({ H, bias: true }), ridge: RIDGE / n, seed };
  let states: readonly string[] = [await start(job, options)];
  let codes: readonly string[] = [];
  const history: HistoryEntry[] = [];
  let state: RoundState | undefined;
  for (let round = 1; round <= rounds; round++) {
    const answers = await complete(roundTasks(job, round, states[0], codes), crew);
    const { outputs } = await step(job, round, states, answers);
    // What only this round has read is not needed any more: its answers are there.
    for (const hash of [...codes, ...answers.map((answer) => answer.outputs.sums)])
      await crew.store.drop(hash);
    codes = answers.map((answer) => answer.outputs.codes);
    states = [outputs.weights, ...states].slice(0, REMEMBERED);
    state = await readState(job, outputs.weights);
    history.push({ epoch: round, seconds: 0, loss: state.loss, rate: 1 });
    options.onRound?.(round, state.loss);
  }
  if (!state) throw new RangeError(`train: rounds must be a whole number above 0, got ${rounds}`);
  return settle(job, state, encoding, history);
}

interface Job {
  readonly table: ShardedTable;
  readonly crew: Crew;
  readonly H: number;
  readonly V: number;
  readonly n: number;
  readonly width: number;
  readonly ridge: number;
  readonly seed: number;
}

/** Where a round leads. */
interface RoundState {
  /** What the next round begins with. */
  readonly W: Float32Array;
  /** Where the Newton step of this round led. */
  readonly G: Float32Array;
  /** Mean over rows of Psi''(m_v) / 2. */
  readonly curvature: Float32Array;
  /** The largest |e_h| of each unit. */
  readonly reach: Float64Array;
  /** Mean loss of all rows at their codes, before W took its step. */
  readonly loss: number;
}

/** The weights that one machine learns from rows drawn of all shards: the hash of their blob. */
async function start(
  { table, crew, H, n, seed }: Job,
  { sampleRows = SAMPLE_ROWS, sampleEpochs = 0 }: TrainJobOptions,
): Promise<string> {
  const { shards } = table.manifest;
  const drawing = tasksOf(table, 'sample', (shard) => ({
    inputs: {},
    options: { seed, count: Math.ceil((Math.min(sampleRows, n) * shards[shard].rows) / n) },
  }));
  const drawn: Rows[] = [];
  for (const { outputs } of await complete(drawing, crew))
    drawn.push(rowsFromBytes(await crew.store.get(outputs.rows, 'a sample')));
  const total = drawn.reduce((sum, rows) => sum + rows.n, 0);
  const chunks = async function* () {
    yield* drawn;
  };
  const sample = await crew.store.put(rowsToBytes(await collect({ n: total, V: drawn[0].V, chunks })));
  const [learning] = tasksOf(table, 'start', () => ({
    inputs: { sample },
    options: { H, seed, epochs: sampleEpochs },
  }));
  const [{ outputs }] = await complete([learning], crew);
  return outputs.weights;
}

function roundTasks(job: Job, round: number, weights: string, codes: readonly string[]): Task[] {
  const { table, H, ridge } = job;
  const codeSteps = codes.length > 0 ? CODE_STEPS : FIRST_STEPS;
  return tasksOf(table, 'round', (shard) => ({
    inputs: { weights, ...(codes.length > 0 && { codes: codes[shard] }) },
    options: { round, H, ridge, codeSteps },
  }));
}

/** The step of W that ends a round, from sums over all shards: a task of the coordinator's own. */
async function step(
  job: Job,
  round: number,
  states: readonly string[],
  answers: readonly Answer[],
): Promise<Answer> {
  const { table, crew, H, V, n, width, ridge } = job;
  const task = taskId({
    ...{ program: PROGRAM, kind: 'step', manifest: table.hash, shard: 0 },
    inputs: Object.fromEntries(states.map((hash, k) => [`weights${k}`, hash])),
    options: { round, H, ridge },
  });
  const before = await crew.store.answer(task);
  if (before) return before;
  const began = performance.now();
  const triangle = V * packedSize(width);
  const lengths = {
    gradient: V * width,
    hessians: triangle,
    moments: width * width,
    curvature: V,
    reach: H,
    loss: 1,
  };
  const parts: Record<keyof typeof lengths, Float32Array | Float64Array>[] = [];
  for (const { outputs } of answers)
    parts.push(
      arraysFromBytes(await crew.store.get(outputs.sums, 'sums of a shard'), lengths, 'sums of a shard'),
    );
  const total = (name: keyof typeof lengths) => treeSum(parts.map((part) => part[name]));
  const sums = { gradient: total('gradient'), hessians: total('hessians'), moments: total('moments') };
  const path: RoundState[] = [];
  for (const hash of states) path.push(await readState(job, hash));
  const G = newtonStep(path[0].W, sums, { n, H, ridge, width });
  const curvature = Float32Array.from(total('curvature'), (sum) => sum / n);
  // path[k].W went into the round whose step led to path[k - 1].G; the latest one led here.
  const mapped = path.map(({ W }, k) => ({ W, G: k === 0 ? G : path[k - 1].G }));
  const blob = arraysToBytes({
    ...{ W: extrapolate(mapped, curvature), G, curvature },
    reach: new Float64Array(H).map((_, h) => parts.reduce((most, part) => Math.max(most, part.reach[h]), 0)),
    loss: total('loss').map((sum) => sum / n),
  });
  const answer: Answer = {
    ...{ task, worker: 'the coordinator', outputs: { weights: await crew.store.put(blob) } },
    seconds: (performance.now() - began) / 1000,
  };
  await crew.store.offer(answer);
  return answer;
}

async function readState({ crew, V, H, width }: Job, hash: string): Promise<RoundState> {
  const bytes = await crew.store.get(hash, 'the weights of a round');
  const lengths = { W: V * width, G: V * width, curvature: V, reach: H, loss: 1 };
  const { W, G, curvature, reach, loss } = arraysFromBytes(bytes, lengths, 'the weights of a round');
  return {
    ...{ W: W as Float32Array, G: G as Float32Array, curvature: curvature as Float32Array },
    ...{ reach: reach as Float64Array, loss: loss[0] },
  };
}

/** The model with its final scale, and what it remembers of all rows at their proven codes. */
async function settle(
  job: Job,
  { G, curvature, reach }: RoundState,
  encoding: 'box' | 'real',
  history: readonly HistoryEntry[],
): Promise<PCAE> {
  const { table, crew, H, V, n, width, ridge, seed } = job;
  const { columns, groups, image, schema } = table.manifest;
  // New rows may need somewhat larger codes than those seen: the box has room for them, as that of `fit`.
  const scale = reach.map((most) => (encoding === 'box' ? ROOM * Math.max(most, 1e-6) : 1));
  const training: TrainingRecord = {
    ...{ algorithm: 'fast', n, loss: 0, seed, ridge, l1: 0, epochs: history.length, seconds: 0 },
    ...{ stopped: 'epochs', converged: false, history },
  };
  const parts = {
    ...{ V, H, encoding, bias: true, reconstructionLoss: crossEntropy, curvature },
    ...{ columns, groups, image, schema },
    W: G.map((w, k) => (k % width < H ? w * scale[k % width] : w)),
    B: new Float32Array(V * width),
    radius: encoding === 'box' ? 1 : ROOM * Math.max(1, ...reach),
  };
  const model = await crew.store.put(new PCAE({ ...parts, training }).save());
  const lengths = { B: V * width, moments: width * width, totals: 2 };
  const sums: Record<keyof typeof lengths, Float32Array | Float64Array>[] = [];
  for (const { outputs } of await complete(
    tasksOf(table, 'settle', () => ({ inputs: { model }, options: {} })),
    crew,
  )) {
    const bytes = await crew.store.get(outputs.sums, 'sums of a shard');
    sums.push(arraysFromBytes(bytes, lengths, 'sums of a shard'));
  }
  const mean = (name: 'B' | 'moments' | 'totals') =>
    treeSum(sums.map((part) => part[name])).map((sum) => sum / n);
  const [loss, meanGap] = mean('totals');
  return new PCAE({
    ...parts,
    ...{ B: Float32Array.from(mean('B')), moments: Float32Array.from(mean('moments')) },
    training: { ...training, loss, meanGap },
  });
}

const ROUNDS = 12;
const SAMPLE_ROWS = 20_000;
/** `fit`'s own: a prior of about unit strength on each weight. */
const RIDGE = 0.6;
/** How much further than the largest code the box reaches, as in `fit`. */
const ROOM = 4;
/** Newton's steps on codes that start from nothing, and on those that the round before left. */
const FIRST_STEPS = 8;
const CODE_STEPS = 2;
/** Rounds that the next one learns from. */
const REMEMBERED = 5;

import { ExactSum, gridOf } from '../exact-sum.ts';
import type { Spans } from '../spans.ts';
import { type Answer, PROGRAM, type Task, type TaskKind, taskId } from '../task.ts';
import { shortened, type Turn, weightsBytes } from '../work/advance.ts';
import { packedSize } from '../work/hessians.ts';
import { pathInputs } from '../work/round.ts';
import { LENGTHS, slopeGrid } from '../work/search.ts';
import { arraysToBytes } from '../work/weights-file.ts';
import type { Bends } from './bends.ts';
import { coordinated } from './coordinated.ts';
import type { TrainJob } from './job.ts';
import { lengthsOf, newtonStep, slopeOf } from './newton-step.ts';
import {
  type RoundState,
  readArrays,
  readState,
  readWay,
  type Standing,
  stateAfter,
  stateBytes,
  stateDiscarded,
  tidy,
  type Way,
  wayBytes,
} from './standing.ts';

/**
 * One round. Every worker brings the codes of its shards on, and sums over their rows come back; they give
 * Newton's step of W. Slopes along that step come back, and say how far each bit goes. W is then extrapolated
 * by a share of the way that it went since the last round: codes and weights in turns creep along valleys in
 * which both have to move together. That share grows, until W has gone too far: where the loss has risen, the
 * round counts for nothing, and the next one begins where W had not been extrapolated.
 */
export async function nextStanding(
  job: TrainJob,
  round: number,
  at: Standing,
  bends: Bends,
): Promise<Standing> {
  const { crew, deal, V, H, width, n } = job;
  const step = ownTask(job, 'step', round, at);
  /** What workers sent: read once, and then removed. */
  const sent: string[] = [];
  const { outputs } = await coordinated(step, crew, async () => {
    await tidy(job, at);
    const before = await readWay(job, at.way);
    const state = await readState(job, at.state);
    // Codes that begin anew from time to time are found without what long ago led there.
    const path = [...(before.path.length < LONGEST ? before.path : []), before.next];
    const hands = await deal.hands();
    const ask = (kind: 'round' | 'search', inputs: Readonly<Record<string, string>>) =>
      deal.ask(hands, (shards) => roundTask(job, { kind, round, shards, inputs }));
    const { outputs: aim } = await coordinated(ownTask(job, 'aim', round, at), crew, async () => {
      const asked = ask('round', { ...pathInputs(path), ...before.hints });
      const [bend, rounds] = await Promise.all([bends.at(path), asked]);
      sent.push(...rounds.map((answer) => answer.outputs.sums));
      return aimOf(job, state, bend, rounds);
    });
    const lengths = { slope: V * width, curvature: V, reach: H, loss: 1 };
    const found = await readArrays(job, aim.found, lengths, 'sums of a round');
    const over = [aim.aim, aim.found];
    const loss = found.loss[0] / n;
    if (loss > state.limit) {
      const next = stateDiscarded(state);
      const way = { path: before.path, next: await crew.store.put(weightsBytes(next.W)), hints: {}, over };
      return { state: stateBytes(next), way: wayBytes(way) };
    }
    const searches = await ask('search', { ...pathInputs(path), aim: aim.aim });
    sent.push(...searches.map((answer) => answer.outputs.slopes));
    const d = (await readArrays(job, aim.aim, { d: V * width }, 'the step of W')).d as Float32Array;
    const turn = await turnOf(job, state, { d, slope: found.slope as Float64Array }, searches);
    const sums = { curvature: found.curvature as Float32Array, reach: found.reach as Float64Array, loss };
    const next = stateAfter(state, d, turn, sums);
    const { lengths: far, momentum } = turn;
    const turned = await crew.store.put(
      arraysToBytes({ lengths: far, momentum: Float64Array.of(momentum) }, taskId(step)),
    );
    const way: Way = {
      ...{ path, next: await crew.store.put(weightsBytes(next.W)) },
      hints: { from: before.next, lastAim: aim.aim, turn: turned },
      over: [...over, ...(before.hints.turn ? [before.hints.turn] : [])],
    };
    return { state: stateBytes(next), way: wayBytes(way) };
  });
  for (const hash of sent) await crew.store.drop(hash);
  return { state: outputs.state, way: outputs.way };
}

function roundTask({ table, H, ridge }: TrainJob, { kind, round, shards, inputs }: RoundTask): Task {
  return { program: PROGRAM, kind, manifest: table.hash, shards, inputs, options: { round, H, ridge } };
}

interface RoundTask {
  readonly kind: TaskKind;
  readonly round: number;
  readonly shards: Spans;
  readonly inputs: Readonly<Record<string, string>>;
}

function ownTask(job: TrainJob, kind: TaskKind, round: number, { state, way }: Standing): Task {
  return roundTask(job, { kind, round, shards: [], inputs: { state, way } });
}

/** Newton's step from the sums of all workers, with the sums that the end of the round needs. */
async function aimOf(job: TrainJob, { W }: RoundState, hessians: Float64Array, answers: readonly Answer[]) {
  const { V, H, n, width, ridge } = job;
  const lengths = { gradient: V * width, reach: H, loss: 1 };
  const [gradients, losses] = [new ExactSum(V * width, gridOf(n)), new ExactSum(1, gridOf(n))];
  const reach = new Float64Array(H);
  for (const { outputs } of answers) {
    const part = await readArrays(job, outputs.sums, lengths, 'sums of a worker');
    gradients.addParts(part.gradient);
    losses.addParts(part.loss);
    part.reach.forEach((most, h) => {
      reach[h] = Math.max(reach[h], most);
    });
  }
  const options = { n, H, ridge, width };
  const size = packedSize(width);
  const gradient = gradients.total();
  return {
    aim: arraysToBytes({ d: newtonStep(W, { gradient, hessians }, options) }),
    found: arraysToBytes({
      ...{ slope: slopeOf(W, gradient, options), reach, loss: losses.total() },
      // The bias unit's code is 1: its own entry is the mean of Psi'' / 2.
      curvature: Float32Array.from({ length: V }, (_, v) => hessians[(v + 1) * size - 1]),
    }),
  };
}

/** How far each bit goes along its step, as the slopes of all workers say. */
async function turnOf(
  job: TrainJob,
  { W, momentum }: RoundState,
  { d, slope }: { readonly d: Float32Array; readonly slope: Float64Array },
  answers: readonly Answer[],
): Promise<Turn> {
  const { V, H, n, width, ridge } = job;
  const sums = new ExactSum(LENGTHS.length * V, slopeGrid(n));
  for (const { outputs } of answers) {
    const lengths = { slopes: LENGTHS.length * V };
    sums.addParts((await readArrays(job, outputs.slopes, lengths, 'slopes of a worker')).slopes);
  }
  const total = sums.total();
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
  const slopes = LENGTHS.map((length, k) => along(length, (v) => total[k * V + v] / n));
  const far = lengthsOf([0, ...LENGTHS], [atStart, ...slopes], V);
  return { lengths: shortened(far), momentum };
}

/** Rounds that codes are brought on in from where the one before left them, before they begin anew. */
const LONGEST = 16;

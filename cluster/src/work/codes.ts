import type { Engine, Floats, Point } from 'pc-ae/engine';
import { widthOf } from 'pc-ae/engine';
import type { Bench } from './bench.ts';
import { arraysFromBytes } from './weights-file.ts';

/** Whose codes, and which weights have led there: hashes, one per round since codes began at 0. */
interface CodesOf {
  readonly manifest: string;
  readonly shard: number;
  readonly path: readonly string[];
  readonly ridge: number;
}

/**
 * Brings the codes of rows to where the rounds of a path lead, by Newton's steps under the weights of each
 * round. They are a pure function of the rows and of those weights. A worker that has them in memory as the
 * last round left them takes one round's steps; one that has not, because the shard was somebody else's,
 * takes those of the whole path. `at` is left at the last weights.
 */
export async function bringOn(
  engine: Engine,
  at: Point & { readonly W: Floats; readonly E: Floats },
  { manifest, shard, path, ridge }: CodesOf,
  bench: Bench,
): Promise<void> {
  const { V } = at.shape;
  const width = widthOf(at.shape);
  const name = runOf({ manifest, H: at.shape.H, ridge });
  const warm = bench.codes.find(name, shard, path);
  const weights = async (round: number) => {
    const bytes = await bench.store.get(path[round], 'the weights of a round');
    at.W.write(arraysFromBytes(bytes, { W: V * width }, 'weights').W);
  };
  at.E.write(warm?.codes ?? nothing(at.E.length, width));
  for (let round = warm?.rounds ?? 0; round < path.length; round++) {
    await weights(round);
    const steps = round === 0 ? FIRST_STEPS : STEPS;
    for (let step = 0; step < steps; step++) await engine.newton('codes', at, { ridge, move: true });
    // Of a whole path the last two: the last round may turn out to count for nothing.
    if (round >= path.length - 2) bench.codes.keep(name, shard, path.slice(0, round + 1), await at.E.read());
  }
  await weights(path.length - 1);
}

/** What the codes of a run are called: the rows that they are of, and what they depend on besides weights. */
export function runOf(of: { readonly manifest: string; readonly H: number; readonly ridge: number }): string {
  return `${of.manifest} ${of.H} ${of.ridge}`;
}

/** Codes of nothing: all are 0, and the bias unit's is its constant 1. */
function nothing(length: number, width: number): Float32Array {
  const codes = new Float32Array(length);
  for (let i = width - 1; i < codes.length; i += width) codes[i] = 1;
  return codes;
}

/** Newton's steps on codes that start from nothing, and on those that the round before left. */
const FIRST_STEPS = 6;
const STEPS = 2;

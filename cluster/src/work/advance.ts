import { hashOf } from '../hash.ts';
import type { Bench } from './bench.ts';
import { arraysFromBytes, arraysToBytes } from './weights-file.ts';

/** How far W goes at the end of a round. */
export interface Turn {
  /** How far each bit goes along its step, as `shortened` has it. */
  readonly lengths: Uint16Array;
  /** The share of the way since the last round that W is extrapolated by. */
  readonly momentum: number;
}

/**
 * The weights that a round leads to: G = W + length d for each bit, and what the next round begins with,
 * which is G extrapolated from where the round before led. Coordinator and workers both work it out, in the
 * same order, to the same bits.
 */
export function advanced(
  { W, G, d }: Readonly<Record<'W' | 'G' | 'd', Float32Array>>,
  { lengths, momentum }: Turn,
): { readonly W: Float32Array; readonly G: Float32Array } {
  const width = W.length / lengths.length;
  const far = lengthened(lengths);
  const led = W.map((w, k) => w + far[Math.floor(k / width)] * d[k]);
  return { W: led.map((g, k) => g + momentum * (g - G[k])), G: led };
}

export function weightsBytes(W: Float32Array): Uint8Array {
  return arraysToBytes({ W });
}

/** Names of what a worker may have worked the weights of a round out from. */
interface Hints {
  /** The weights of the round before, its step, and how far that went. */
  readonly from?: string;
  readonly lastAim?: string;
  readonly turn?: string;
}

/**
 * Works the weights of a round out, where this worker took part in the one before: W then need not be sent,
 * only how far each bit went. What comes out must hash to the name that the task gives; otherwise, and where
 * something is missing, W is fetched.
 */
export async function workOut(
  weights: string,
  { from, lastAim, turn }: Hints,
  bench: Bench,
  { V, width }: { readonly V: number; readonly width: number },
) {
  const { store, led } = bench;
  const size = V * width;
  if (store.holds(weights) || !from || !lastAim || !turn) return;
  if (!store.holds(from) || !store.holds(lastAim)) return;
  const W = arraysFromBytes(await store.get(from), { W: size }, 'weights').W as Float32Array;
  const d = arraysFromBytes(await store.get(lastAim), { d: size }, 'the step of W').d as Float32Array;
  const bytesOfTurn = await store.get(turn).catch(() => undefined);
  if (!bytesOfTurn) return;
  const { lengths, momentum } = arraysFromBytes(bytesOfTurn, { lengths: V, momentum: 1 }, 'how far W went');
  const last = led.get(from);
  const next = advanced({ W, G: last ?? W, d }, { lengths: lengths as Uint16Array, momentum: momentum[0] });
  led.clear();
  led.set(weights, next.G);
  const bytes = weightsBytes(next.W);
  if (hashOf(bytes) === weights) store.keep(weights, bytes);
}

/** Lengths in 16 bits, the upper half of a float32, which shortens them by at most a 128th. */
export function shortened(lengths: ArrayLike<number>): Uint16Array {
  const bits = new Uint32Array(Float32Array.from(lengths).buffer);
  return Uint16Array.from(bits, (one) => one >>> 16);
}

function lengthened(lengths: Uint16Array): Float32Array {
  return new Float32Array(Uint32Array.from(lengths, (one) => one << 16).buffer);
}

import type { Engine } from '../engine/engine.ts';
import { projectedRows } from '../engine/products.ts';
import { leadingDirections } from '../training/start/start.ts';

/** The principal axes of vectors, the longest first, and where the vectors lie along them. */
interface AlongAxes {
  /** How many axes there are. */
  readonly D: number;
  /** n x D: the coordinates of each vector. */
  readonly y: Float32Array;
}

/**
 * Vectors (n x V, their mean taken out) in the coordinates of their principal axes, D of them or V. A
 * rotation changes neither the squared loss nor the codes that are best; axes beyond D hold less of the
 * vectors than the bits of a code can tell apart, and learning is as quick as for vectors of D numbers.
 */
export async function alongAxes(engine: Engine, x: Float32Array, V: number, D: number): Promise<AlongAxes> {
  const n = x.length / V;
  const looked = Math.min(n, Math.ceil(ENTRIES / V));
  const block = engine.load({ kind: 'real', n: looked, V, values: x.subarray(0, looked * V) });
  const { directions, deviations } = await leadingDirections(engine, block, D, 1, false);
  block.free();
  const count = deviations.length;
  const y = new Float32Array(n * count);
  for (let first = 0; first < n; first += looked) {
    const end = Math.min(n, first + looked);
    const piece = { kind: 'real', n: end - first, V, values: x.subarray(first * V, end * V) } as const;
    y.set(await projectedRows(engine, piece, directions, count), first * count);
  }
  return { D: count, y };
}

/** Numbers of the vectors by which axes are found, and that are in the engine at a time. */
const ENTRIES = 2 ** 22;

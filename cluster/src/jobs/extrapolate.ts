import { choleskySolve } from 'pc-ae/math';

/** A round as a map: W went in, G came out. */
export interface Mapped {
  readonly W: ArrayLike<number>;
  readonly G: ArrayLike<number>;
}

/**
 * Where to go on from, by Anderson's acceleration. Codes and weights in turns creep along valleys in which both have to move
 * together: the last few rounds say how changes of W came back changed, and the combination of them that would have come
 * back unchanged is the next W. No bit's weights go further from where the latest round led than that round itself
 * moved them: rounds are not quite alike, and what they seem to teach may lead far off. Rounds are given from the latest
 * on; bits count by how their loss bends.
 */
export function extrapolate(rounds: readonly Mapped[], curvature: ArrayLike<number>): Float32Array {
  const [latest] = rounds;
  const { length } = latest.G;
  const width = length / curvature.length;
  const change = ({ W, G }: Mapped) => Float64Array.from({ length }, (_, k) => G[k] - W[k]);
  const changes = rounds.map(change);
  const between = (parts: readonly ArrayLike<number>[], j: number) =>
    Float64Array.from({ length }, (_, k) => parts[j][k] - parts[j + 1][k]);
  const depth = rounds.length - 1;
  const ofChanges = Array.from({ length: depth }, (_, j) => between(changes, j));
  const product = (a: Float64Array, b: Float64Array) => {
    let sum = 0;
    for (let k = 0; k < length; k++) sum += curvature[Math.floor(k / width)] * a[k] * b[k];
    return sum;
  };
  const S = Float64Array.from({ length: depth * depth }, (_, k) => {
    const [i, j] = [Math.floor(k / depth), k % depth];
    return product(ofChanges[i], ofChanges[j]) * (i === j ? 1 + RAISED : 1);
  });
  const shares = choleskySolve(
    S,
    Float64Array.from(ofChanges, (one) => product(one, changes[0])),
  );
  // Changes that do not differ tell nothing.
  if (!shares) return Float32Array.from(latest.G);
  const outcomes = rounds.map(({ G }) => G);
  const further = new Float64Array(length);
  for (let j = 0; j < depth; j++) {
    const moved = between(outcomes, j);
    for (let k = 0; k < length; k++) further[k] -= shares[j] * moved[k];
  }
  const next = Float32Array.from(latest.G);
  for (let start = 0; start < length; start += width) {
    const size = (of: Float64Array) => Math.hypot(...of.subarray(start, start + width));
    const share = Math.min(1, size(changes[0]) / Math.max(size(further), Number.MIN_VALUE));
    for (let k = start; k < start + width; k++) next[k] += share * further[k];
  }
  return next;
}

const RAISED = 1e-6;

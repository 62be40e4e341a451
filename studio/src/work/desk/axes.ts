/** The two principal axes of codes (n x H), as points within [-1, 1]: what can be drawn at once. */
export function principalAxes(codes: Float32Array, H: number): Float32Array {
  const n = codes.length / H;
  const mean = new Float64Array(H);
  for (let k = 0; k < codes.length; k++) mean[k % H] += codes[k] / n;
  const covariance = new Float64Array(H * H);
  for (let i = 0; i < n; i++) {
    for (let a = 0; a < H; a++) {
      const x = codes[i * H + a] - mean[a];
      for (let b = a; b < H; b++) covariance[a * H + b] += (x * (codes[i * H + b] - mean[b])) / n;
    }
  }
  for (let a = 0; a < H; a++) for (let b = 0; b < a; b++) covariance[a * H + b] = covariance[b * H + a];
  const first = leading(covariance, H);
  const second = leading(deflated(covariance, first, H), H);
  const points = new Float32Array(2 * n);
  for (let i = 0; i < n; i++) {
    for (let h = 0; h < H; h++) {
      const x = codes[i * H + h] - mean[h];
      points[2 * i] += x * first[h];
      points[2 * i + 1] += x * second[h];
    }
  }
  return fitted(points);
}

/** The eigenvector of the largest eigenvalue, by power iteration from a fixed start. */
function leading(matrix: Float64Array, H: number): Float64Array {
  let vector = Float64Array.from({ length: H }, (_, h) => 1 + ((h * 7919) % 13) / 13);
  for (let step = 0; step < 200; step++) {
    const next = new Float64Array(H);
    for (let a = 0; a < H; a++) for (let b = 0; b < H; b++) next[a] += matrix[a * H + b] * vector[b];
    const length = Math.hypot(...next);
    if (length < 1e-12) return new Float64Array(H);
    vector = next.map((x) => x / length);
  }
  return vector;
}

function deflated(matrix: Float64Array, vector: Float64Array, H: number): Float64Array {
  let value = 0;
  for (let a = 0; a < H; a++) for (let b = 0; b < H; b++) value += vector[a] * matrix[a * H + b] * vector[b];
  return matrix.map((x, k) => x - value * vector[Math.floor(k / H)] * vector[k % H]);
}

/**
 * Points moved and scaled, both axes alike, so that all but the outermost hundredth on each side lie well
 * within [-1, 1]: a few rows that are like no other would leave all the rest in one spot.
 */
export function fitted(points: Float32Array): Float32Array {
  const ends = [0, 1].map((axis) => {
    const sorted = Float32Array.from({ length: points.length / 2 }, (_, i) => points[2 * i + axis]).sort();
    const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
    return { low: at(0.01), high: at(0.99) };
  });
  const middle = ends.map(({ low, high }) => (low + high) / 2);
  const reach = Math.max(...ends.map(({ low, high }) => high - low), 1e-9) / 2 / FILLED;
  return points.map((x, k) => (x - middle[k & 1]) / reach);
}

/** The part of the map that they fill. */
const FILLED = 0.85;

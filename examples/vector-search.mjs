// Vector search: sign bits of embeddings, a coarse pass over short learned codes, then re-ranking by all the
// bits.
import { writeFile } from 'node:fs/promises';
import { reconstructionFigure } from 'pc-ae/figures';
import { fit } from 'pc-ae/node';

const [n, queries, V, H] = [2000, 50, 256, 16];
const random = randomNumbers(7);
const vectors = embeddings(n + queries, V);
const bits = Uint8Array.from(vectors, (x) => (x > 0 ? 1 : 0));
const base = { data: bits.subarray(0, n * V), n, V };
const asked = { data: bits.subarray(n * V), n: queries, V };

// Neighbours need codes of a steady length more than the last nat: a larger ridge than the default finds more
// of them.
const model = await fit(base, { H, encoding: 'real', epochs: 20, ridge: 0.01 });
const scale = columnNorms(model);
const baseCodes = directions((await model.encode(base)).codes);
const askedCodes = directions((await model.encode(asked)).codes);

// What is wanted: for each query the ten rows with the fewest different bits.
const hamming = (q, i) => different(asked.data, q, base.data, i, V);
const wanted = Array.from({ length: queries }, (_, q) => nearest(10, (i) => hamming(q, i)));

const bytes = (codes) => Int8Array.from(codes, (e) => Math.round(127 * e));
const [baseBytes, askedBytes] = [bytes(baseCodes), bytes(askedCodes)];
const [baseSigns, askedSigns] = [signs(baseCodes), signs(askedCodes)];
const candidates = 30;
const found = {
  learned: recall((q, i) => -product(askedBytes, q, baseBytes, i)),
  someBits: recall((q, i) => different(asked.data, q, base.data, i, 8 * H)),
  signs: recall((q, i) => different(askedSigns, q, baseSigns, i, H)),
};
const percent = (share) => `${(100 * share).toFixed(1)} %`;
console.log(`the ten nearest of ${n} rows of ${V} bits, found among ${candidates} candidates from`);
console.log(`  ${H} learned numbers of one byte each (${H} bytes per row): ${percent(found.learned)}`);
console.log(`  the first ${8 * H} of the bits (${H} bytes per row):        ${percent(found.someBits)}`);
console.log(`  the signs of the learned numbers (${H / 8} bytes per row):   ${percent(found.signs)}`);
const near = (k) =>
  Array.from({ length: 5 }, (_, q) =>
    row(base.data, nearest(10, (i) => -product(askedBytes, q, baseBytes, i))[k]),
  ).flat();
const row = (of, i) => Array.from(of.subarray(i * V, (i + 1) * V), (bit) => 2 * bit - 1);
const picture = reconstructionFigure({
  title: 'Sign bits of five queries and of the rows whose codes are nearest',
  rows: [
    { label: 'query', values: [0, 1, 2, 3, 4].flatMap((q) => row(asked.data, q)) },
    { label: 'nearest', values: near(0) },
    { label: 'second', values: near(1) },
    { label: 'tenth', values: near(9) },
  ],
  V,
});
if (process.argv[2]) await writeFile(process.argv[2], picture);
if (!(found.learned > 0.9)) throw new Error('learned codes should find nearly all neighbours');
if (!(found.learned > found.someBits))
  throw new Error('learned codes should beat as many bytes of plain bits');

/**
 * Codes times the norms of their columns of W, so that angles between codes are angles between scores, and
 * then of length 1: sign bits do not know how long a vector was, and its code need not either.
 */
function directions(codes) {
  const out = codes.map((e, k) => e * scale[k % H]);
  for (let i = 0; i < out.length; i += H) {
    const code = out.subarray(i, i + H);
    const length = Math.hypot(...code);
    for (let h = 0; h < H; h++) code[h] /= length;
  }
  return out;
}

function columnNorms({ W, bias }) {
  const width = bias ? H + 1 : H;
  return Float64Array.from({ length: H }, (_, h) => {
    let sum = 0;
    for (let v = 0; v < V; v++) sum += W[v * width + h] ** 2;
    return Math.sqrt(sum);
  });
}

function signs(codes) {
  return codes.map((e) => (e > 0 ? 1 : 0));
}

/** The share of the wanted rows that are among the candidates of a coarse distance. */
function recall(distance) {
  let hits = 0;
  for (let q = 0; q < queries; q++) {
    const near = new Set(nearest(candidates, (i) => distance(q, i)));
    hits += wanted[q].filter((i) => near.has(i)).length;
  }
  return hits / (10 * queries);
}

function nearest(count, distance) {
  const distances = Float64Array.from({ length: n }, (_, i) => distance(i));
  const order = Array.from(distances.keys()).sort((a, b) => distances[a] - distances[b] || a - b);
  return order.slice(0, count);
}

function different(A, q, B, i, count) {
  const [a, b] = [(A.length / queries) * q, (B.length / n) * i];
  let sum = 0;
  for (let k = 0; k < count; k++) if (A[a + k] !== B[b + k]) sum++;
  return sum;
}

function product(A, q, B, i) {
  let sum = 0;
  for (let h = 0; h < H; h++) sum += A[q * H + h] * B[i * H + h];
  return sum;
}

/** Vectors in few dimensions, with some noise, as embeddings are. */
function embeddings(count, width) {
  const dimensions = 12;
  const mix = Float64Array.from({ length: width * dimensions }, () => random() + random() - 1);
  const out = new Float32Array(count * width);
  for (let i = 0; i < count; i++) {
    const z = Float64Array.from({ length: dimensions }, () => random() + random() - 1);
    for (let v = 0; v < width; v++) {
      let sum = 0.4 * (random() + random() - 1);
      for (let k = 0; k < dimensions; k++) sum += mix[v * dimensions + k] * z[k];
      out[i * width + v] = sum;
    }
  }
  return out;
}

/** Numbers from 0 to 1, the same in every run (Park and Miller). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

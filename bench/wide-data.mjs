// node bench/wide-data.mjs ROWS COLUMNS DENSITY FILE.mtx : writes a wide and sparse table of bits with
// something to learn in it.
//
// Columns have log-normal base rates and weights on a few factors of falling strength, rows have normal
// factors and a size of their own, as baskets and cells do. A bit is 1 with the probability that its score
// says.
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

const [n, V, density] = process.argv.slice(2, 5).map(Number);
const file = process.argv[5];
const FACTORS = 24;

let state = 12345;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const strength = Float64Array.from({ length: FACTORS }, (_, h) => 0.75 * 0.9 ** h);
const weights = new Float32Array(V * FACTORS);
const base = new Float64Array(V);
for (let v = 0; v < V; v++) {
  let square = 0;
  for (let h = 0; h < FACTORS; h++) {
    const w = strength[h] * normal();
    weights[v * FACTORS + h] = w;
    square += w * w;
  }
  // The mean of exp(score) over rows is to be the base rate.
  base[v] = Math.log(density) + 0.8 * normal() - 0.32 - 0.5 * square;
}
const SIZE = 0.4;
const lines = [];
let entries = 0;
for (let i = 0; i < n; i++) {
  const factors = Float64Array.from({ length: FACTORS }, normal);
  const size = SIZE * normal() - SIZE ** 2 / 2;
  const found = [];
  for (let v = 0; v < V; v++) {
    let score = base[v] + size;
    const at = v * FACTORS;
    for (let h = 0; h < FACTORS; h++) score += weights[at + h] * factors[h];
    // Most scores are far below: what the logistic function makes of them hardly matters.
    if (random() * (1 + Math.exp(-score)) < 1) found.push(v + 1);
  }
  entries += found.length;
  lines.push(found.map((v) => `${i + 1} ${v}`).join('\n'));
}
const out = createWriteStream(file);
out.write(`%%MatrixMarket matrix coordinate pattern general\n${n} ${V} ${entries}\n`);
for (const line of lines) if (line) out.write(`${line}\n`);
out.end();
await finished(out);
console.log(`${entries} ones, ${((100 * entries) / n / V).toFixed(3)}%`);

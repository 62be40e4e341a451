// Molecular fingerprints: an FPS file to codes, and how well codes find the neighbours by Tanimoto
// similarity.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { map2dFigure } from 'pc-ae/figures';
import { fit, openSource } from 'pc-ae/node';
import { collect, entry, sliceRows } from 'pc-ae/rows';

const [n, V, H] = [1500, 512, 16];
const random = randomNumbers(3);
const folder = await mkdtemp(join(tmpdir(), 'pcae-'));
try {
  await writeFile(join(folder, 'molecules.fps'), fpsFile());
  const source = await openSource(join(folder, 'molecules.fps'));
  const rows = await collect(source);
  const held = 300;
  const model = await fit(sliceRows(rows, held, n), { H, epochs: 30 });
  const report = await model.evaluate(sliceRows(rows, 0, held));
  const base = baseRateLoss(rows);
  console.log(
    `${source.n} fingerprints of ${source.V} bits, on average ${onesPerRow(rows).toFixed(1)} of them set`,
  );
  console.log(`new molecules: ${report.loss.toFixed(1)} nats each, ${base.toFixed(1)} without a code`);
  console.log(`rounded reconstructions have ${report.hamming.toFixed(1)} wrong bits each`);

  // Decoded probabilities keep the meaning of the bits: Tanimoto similarity works on them as it does on bits.
  const { codes } = await model.encode(rows);
  const decoded = (await model.decode(codes)).map((y) => (1 + y) / 2);
  const bits = Float32Array.from(decoded, (_, k) => (entry(rows, Math.floor(k / V), k % V) > 0 ? 1 : 0));
  let hits = 0;
  for (let q = 0; q < 60; q++) {
    const [wanted] = nearest(bits, q, 1);
    if (nearest(decoded, q, 10).includes(wanted)) hits++;
  }
  console.log(`for ${hits} of 60 new molecules, the nearest one by Tanimoto is among ten found by codes`);
  const plane = await fit(rows, { H: 2, epochs: 30, encoding: 'real' });
  const ones = Array.from({ length: n }, (_, i) =>
    bits.subarray(i * V, (i + 1) * V).reduce((a, b) => a + b, 0),
  );
  const picture = map2dFigure({
    title: '1,500 molecules by codes of two numbers',
    points: await plane.transform(rows),
    classes: ones.map((count) => (count < 30 ? 0 : count < 36 ? 1 : 2)),
    names: ['below 30 bits', '30 to 35', '36 or more'],
    ranks: true,
  });
  if (process.argv[2]) await writeFile(process.argv[2], picture);
  if (!(report.loss < 0.5 * base)) throw new Error('codes should halve the loss');
  if (!(hits >= 50)) throw new Error('codes should find most neighbours');
} finally {
  await rm(folder, { recursive: true });
}

function nearest(table, q, count) {
  const similar = Array.from({ length: n }, (_, i) => (i === q ? -1 : tanimoto(table, q, i)));
  return [...similar.keys()].sort((a, b) => similar[b] - similar[a] || a - b).slice(0, count);
}

/** Shared bits over all bits; for probabilities the smaller and the larger of the two take their places. */
function tanimoto(table, q, i) {
  let [shared, all] = [0, 0];
  for (let v = 0; v < V; v++) {
    const [a, b] = [table[q * V + v], table[i * V + v]];
    shared += Math.min(a, b);
    all += Math.max(a, b);
  }
  return all > 0 ? shared / all : 1;
}

/** Nats per row when every bit is coded by how often it is set. */
function baseRateLoss(rows) {
  let loss = 0;
  for (let v = 0; v < V; v++) {
    let ones = 0;
    for (let i = 0; i < n; i++) if (entry(rows, i, v) > 0) ones++;
    const p = ones / n;
    if (p > 0 && p < 1) loss -= p * Math.log(p) + (1 - p) * Math.log(1 - p);
  }
  return loss;
}

function onesPerRow(rows) {
  let ones = 0;
  for (let i = 0; i < n; i++) for (let v = 0; v < V; v++) if (entry(rows, i, v) > 0) ones++;
  return ones / n;
}

/**
 * Molecules put together from a few of 30 fragments, each of which sets some bits; a bit more comes by
 * chance.
 */
function fpsFile() {
  const pick = (below) => Math.floor(below * random());
  const fragments = Array.from({ length: 30 }, () => Array.from({ length: 12 }, () => pick(V)));
  const lines = ['#FPS1', `#num_bits=${V}`];
  for (let i = 0; i < n; i++) {
    const bytes = new Uint8Array(V / 8);
    const set = (v) => {
      bytes[v >> 3] |= 1 << (v & 7);
    };
    for (let k = 0; k < 3; k++) for (const v of fragments[pick(30)]) set(v);
    set(pick(V));
    lines.push(`${Buffer.from(bytes).toString('hex')}\tmolecule${i}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Numbers from 0 to 1, the same in every run (Park and Miller). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

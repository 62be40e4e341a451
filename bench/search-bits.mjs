/**
 * Rows that were never anything but bits: fingerprints, presence tables, binary pictures. How many of the ten
 * nearest neighbours of whole rows, by Tanimoto or Hamming distance, do short codes find?
 *
 *   npm run build && node bench/search-bits.mjs ROWS|fingerprints [--bits 64,128,256] [--distance tanimoto] [--n 10000]
 *     [--queries 200] [--epochs 40] [--rounds 80] [--values ...] [--binarize threshold] [--python python3]
 *
 * `fingerprints` are made here: 1,024 bits, a scaffold and some fragments each, as those of molecules have.
 * Ours: `words`, codes for the rows as vectors of 0 and 1 (fitVectors); `model of bits`, codes of a PC-AE
 * scored by likelihood, and by Hamming distance. Beside them: as many columns of the row, drawn at random
 * (truncation), and one-bit minhashes, both compared by their differing bits, and ITQ on the bits
 * (search-recall.py, with NumPy).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { likelihoodConstants, likelihoodTables, packCodes } from 'pc-ae/bits';
import { fit, fitVectors, openScores, openSearch, openSource, withTemperature } from 'pc-ae/node';
import { collect, entry, permutation, takeRows } from 'pc-ae/rows';
import { leastTen } from '../dist/search/temperature.js';
import { npy, recallOf } from './search-truth.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bits: { type: 'string', default: '64,128,256' },
    distance: { type: 'string', default: 'tanimoto' },
    n: { type: 'string', default: '10000' },
    queries: { type: 'string', default: '200' },
    epochs: { type: 'string' },
    rounds: { type: 'string', default: '80' },
    python: { type: 'string', default: 'python3' },
    values: { type: 'string' },
    binarize: { type: 'string' },
    threads: { type: 'string', default: '1' },
  },
});
const [count, threads, rounds] = [options.queries, options.threads, options.rounds].map(Number);
const epochs = options.epochs && Number(options.epochs);
const all =
  positionals[0] === 'fingerprints' ? fingerprints(Number(options.n) + count) : await read(positionals[0]);
const order = permutation(all.n, 1).subarray(0, Number(options.n) + count);
const [queries, base] = [order.subarray(0, count), order.subarray(count)].map((rows) => takeRows(all, rows));
const { V } = base;
const [ones, asked] = [base, queries].map(numbers);
const truth = neighbours();
console.log(`${base.n} rows of ${V} bits, ${queries.n} queries, ten nearest by ${options.distance}`);
console.log('| codes | bits | recall | within 100 | learning, s |');
console.log('|---|---|---|---|---|');
for (const H of options.bits.split(',').map(Number)) {
  await words(H);
  await modelOfBits(H);
  const columns = permutation(V, 2).subarray(0, H);
  await byHamming('columns of the row', H, (x) => Array.from(columns, (v) => x[v]));
  const hashes = Array.from({ length: H }, (_, h) => permutation(V, 100 + h));
  await byHamming('minhash, one bit each', H, (x) => hashes.map((places) => least(x, places) & 1));
  itq(H);
}

async function read(path) {
  return collect(await openSource(path, { values: options.values, binarize: options.binarize }));
}

/** Each has one of 100 scaffolds of 24 bits and four of 300 fragments of 8, and a few bits of its own. */
function fingerprints(n) {
  const width = 1024;
  const stream = permutation(2 ** 20, 5);
  let at = 0;
  const below = (most) => stream[at++ % stream.length] % most;
  const sets = (amount, size) =>
    Array.from({ length: amount }, () => Array.from({ length: size }, () => below(width)));
  const [scaffolds, fragments] = [sets(100, 24), sets(300, 8)];
  const bits = new Uint8Array((n * width) / 8);
  for (let i = 0; i < n; i++) {
    const parts = [
      scaffolds[below(100)],
      ...Array.from({ length: 4 }, () => fragments[below(300)]),
      ...sets(1, 4),
    ];
    for (const v of parts.flat()) bits[(i * width) / 8 + (v >> 3)] |= 1 << (v & 7);
  }
  return { kind: 'bits', n, V: width, bits };
}

function itq(H) {
  const folder = mkdtempSync(join(tmpdir(), 'search-bits-'));
  writeFileSync(join(folder, 'base.npy'), npy(ones, V));
  writeFileSync(join(folder, 'queries.npy'), npy(asked, V));
  writeFileSync(join(folder, 'truth.npy'), npy(Float32Array.from(truth.flatMap((set) => [...set])), 10));
  const script = new URL('search-recall.py', import.meta.url).pathname;
  const ran = spawnSync(options.python, [script, folder, String(H), options.threads, 'itq'], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  if (ran.status !== 0) return console.log(`| ITQ | ${H} | ${ran.stderr.trim().split('\n').at(-1)} |`);
  const { recall, training, 'why not': why } = JSON.parse(ran.stdout);
  if (why) return console.log(`| ITQ | ${H} | ${why} |`);
  for (const [how, [ten, hundred]] of Object.entries(recall)) {
    console.log(
      `| ITQ, ${how} | ${H} | ${ten.toFixed(3)} | ${hundred.toFixed(3)} | ${training.toFixed(0)} |`,
    );
  }
}

async function words(H) {
  const metric = options.distance === 'tanimoto' ? 'cosine' : 'euclidean';
  const began = seconds();
  const model = await fitVectors({ n: base.n, V, values: ones }, { bits: H, metric, threads, rounds });
  const learning = seconds() - began;
  const { codes, constants } = await model.encode({ n: base.n, V, values: ones });
  const search = await openScores(codes, constants, { threads });
  line('ours, words', H, await search.nearest(model.tables({ n: count, V, values: asked }), 100), learning);
  await search.close();
}

async function modelOfBits(H) {
  const began = seconds();
  const model = await fit(base, { H, encoding: 'bits', epochs });
  const learning = seconds() - began;
  const codes = packCodes(model.trainingCodes, { n: base.n, H }, 'lsb');
  const { model: tuned } = await withTemperature(model, base, { metric: options.distance });
  const search = await openScores(codes, await likelihoodConstants(tuned, codes), { threads });
  const found = await search.nearest(await likelihoodTables(tuned, queries), 100);
  line('ours, model of bits, likelihood', H, found, learning);
  await search.close();
  const hamming = await openSearch(codes, { threads });
  const encoded = await model.encode(queries);
  const packed = packCodes(encoded.codes, { n: count, H }, 'lsb');
  line('ours, model of bits, Hamming', H, await hamming.nearest(packed, 100), learning);
  await hamming.close();
}

async function byHamming(what, H, codeOf) {
  const pack = (values) => {
    const n = values.length / V;
    const codes = new Float32Array(n * H);
    for (let i = 0; i < n; i++) {
      codeOf(values.subarray(i * V, (i + 1) * V)).forEach((bit, h) => {
        codes[i * H + h] = bit ? 1 : -1;
      });
    }
    return packCodes(codes, { n, H }, 'lsb');
  };
  const search = await openSearch(pack(ones), { threads });
  line(what, H, await search.nearest(pack(asked), 100));
  await search.close();
}

function line(what, H, found, learning) {
  const { ten, hundred } = recallOf(truth, found);
  console.log(
    `| ${what} | ${H} | ${ten.toFixed(3)} | ${hundred.toFixed(3)} | ${learning?.toFixed(0) ?? ''} |`,
  );
}

/** The least place, in the order of a permutation, of the ones of a row. */
function least(x, places) {
  let first = V;
  for (let v = 0; v < V; v++) if (x[v] && places[v] < first) first = places[v];
  return first;
}

function neighbours() {
  const weights = Float64Array.from({ length: base.n }, (_, i) =>
    ones.subarray(i * V, (i + 1) * V).reduce((sum, x) => sum + x, 0),
  );
  return Array.from({ length: count }, (_, q) => {
    const x = asked.subarray(q * V, (q + 1) * V);
    const on = Array.from(x.keys()).filter((v) => x[v]);
    const costs = Float64Array.from({ length: base.n }, (_, i) => {
      let both = 0;
      for (const v of on) both += ones[i * V + v];
      const either = weights[i] + on.length - both;
      return options.distance === 'tanimoto' ? -both / Math.max(1, either) : either - both;
    });
    return new Set(leastTen(costs));
  });
}

function numbers(rows) {
  const out = new Float32Array(rows.n * V);
  for (let i = 0; i < rows.n; i++) for (let v = 0; v < V; v++) out[i * V + v] = entry(rows, i, v) > 0 ? 1 : 0;
  return out;
}

function seconds() {
  return process.cpuUsage().user / 1e6;
}

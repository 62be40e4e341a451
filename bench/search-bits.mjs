/**
 * Rows that were never anything but bits: fingerprints, presence tables, binary pictures. How many of the ten nearest
 * neighbours of whole rows, by Tanimoto or Hamming distance, do short codes find?
 *
 *   npm run build && node bench/search-bits.mjs ROWS [--bits 64] [--distance tanimoto] [--n 10000] [--queries 200]
 *     [--seconds 60] [--values ...]
 *
 * Ours: `words`, codes for the rows as vectors of 0 and 1 (fitVectors); `model of bits`, codes of a PC-AE scored by
 * likelihood, and by Hamming distance. Beside them: as many columns of the row, drawn at random (truncation), and
 * one-bit minhashes, both compared by their differing bits.
 */
import { parseArgs } from 'node:util';
import { likelihoodConstants, likelihoodTables, packCodes } from 'pc-ae/bits';
import { fit, fitVectors, openScores, openSearch, openSource, temperatureFor } from 'pc-ae/node';
import { collect, entry, permutation, takeRows } from 'pc-ae/rows';
import { leastTen, recallOf } from './search-truth.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bits: { type: 'string', default: '64' },
    distance: { type: 'string', default: 'tanimoto' },
    n: { type: 'string', default: '10000' },
    queries: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
    values: { type: 'string' },
    binarize: { type: 'string' },
    threads: { type: 'string', default: '1' },
  },
});
const [count, timeBudget, threads] = [options.queries, options.seconds, options.threads].map(Number);
const source = await openSource(positionals[0], { values: options.values, binarize: options.binarize });
const all = await collect(source);
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
}

async function words(H) {
  const metric = options.distance === 'tanimoto' ? 'cosine' : 'euclidean';
  const began = seconds();
  const model = await fitVectors({ n: base.n, V, values: ones }, { bits: H, metric, threads });
  const learning = seconds() - began;
  const { codes, constants } = await model.encode(
    { n: base.n, V, values: ones },
    { from: model.trainingCodes },
  );
  const search = await openScores(codes, constants, { threads });
  line('ours, words', H, await search.nearest(model.tables({ n: count, V, values: asked }), 100), learning);
  await search.close();
}

async function modelOfBits(H) {
  const began = seconds();
  const model = await fit(base, { H, encoding: 'bits', timeBudget });
  const learning = seconds() - began;
  const codes = packCodes(model.trainingCodes, { n: base.n, H }, 'lsb');
  const { W, reconstructionLoss: loss } = model;
  const decoder = { V, H, W, loss };
  const { tanimoto } = await import('pc-ae/bits');
  const some = takeRows(base, permutation(base.n, 3).subarray(0, 2000));
  const chosen = await temperatureFor(model, some, options.distance === 'tanimoto' ? tanimoto : undefined);
  const search = await openScores(codes, likelihoodConstants(decoder, codes, chosen.temperature), {
    threads,
  });
  line(
    'ours, model of bits, likelihood',
    H,
    await search.nearest(likelihoodTables(decoder, queries), 100),
    learning,
  );
  await search.close();
  const hamming = await openSearch(codes, { threads });
  const { codes: found } = await model.encode(queries);
  const packed = packCodes(found, { n: count, H }, 'lsb');
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

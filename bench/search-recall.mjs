/**
 * How many of the ten nearest neighbours do codes find: ours, and those of others, on the same vectors?
 *
 *   npm run build && node bench/search-recall.mjs VECTORS.npy [--bits 64,128] [--metric cosine] [--queries 1000]
 *     [--n 50000] [--methods hyperplanes,itq,rabitq,pq,pq-fast-scan,opq,rq,lsq] [--python python3] [--folder DIR]
 *     [--threads 1] [--seed 1] [--rounds 80] [--no-ours] [--validation]
 *
 * Of the first n + queries rows, those numbers drawn by a seed are queries. Recall is the share of the ten
 * exact neighbours among the first ten found, and among the first hundred. Times are seconds of the clock,
 * with `threads` threads; those of training are followed by processor seconds. `--validation` is for choices:
 * the queries are put away, and as many of the other rows are drawn in their place. Methods of FAISS need
 * Debian's python3-faiss (and its python: --python /usr/bin/python3); opq and rq take minutes of one core,
 * lsq at 128 bits two hours; lsq-short learns with a fifth of its search.
 *
 * Rows of bits are vectors too: Hamming neighbours are Euclidean ones of 0 and 1, and Tanimoto's are close to
 * those by cosine. `bench/search-bits.mjs` compares them.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { fitVectors, openScores, openSource } from 'pc-ae/node';
import { permutation } from 'pc-ae/rows';
import { nearestTen, npy, prepare, recallOf } from './search-truth.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    bits: { type: 'string', default: '64,128' },
    metric: { type: 'string', default: 'cosine' },
    n: { type: 'string', default: '50000' },
    queries: { type: 'string', default: '1000' },
    methods: { type: 'string', default: 'hyperplanes,itq,rabitq' },
    python: { type: 'string', default: 'python3' },
    folder: { type: 'string', default: '' },
    threads: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string' },
    validation: { type: 'boolean', default: false },
    ours: { type: 'boolean', default: true },
  },
});
const { metric } = options;
const threads = Number(options.threads);
const rounds = options.rounds && Number(options.rounds);
const { base, queries } = await split(positionals[0], Number(options.n), Number(options.queries));
const truth = await nearestTen(prepare(base, metric), prepare(queries, metric), base.V);
console.log(`${base.n} vectors of ${base.V} numbers, ${queries.n} queries, ${metric}`);
console.log(
  '| codes | bits | recall | within 100 | bytes | training, s (processor) | encoding, rows/s | query, ms |',
);
console.log('|---|---|---|---|---|---|---|---|');
for (const bits of options.bits.split(',').map(Number)) {
  if (options.ours) await ours(bits);
  await others(bits);
}

async function ours(bits) {
  const began = process.cpuUsage().user;
  const [model, training] = await timed(() =>
    fitVectors(base, { bits, metric, threads, seed: Number(options.seed), rounds }),
  );
  const processor = (process.cpuUsage().user - began) / 1e6;
  const [{ codes, constants }, encoding] = await timed(() => model.encode(base));
  const search = await openScores(codes, constants, { threads });
  const [found, asking] = await timed(() => search.nearest(model.tables(queries), 100));
  await search.close();
  const [rate, query] = [base.n / encoding, (1000 * asking) / queries.n];
  line('ours', bits, recallOf(truth, found), { bytes: bits / 8 + 2, training, processor, rate, query });
}

async function others(bits) {
  const methods = options.methods.split(',').filter((name) => name !== '');
  if (methods.length === 0) return;
  const folder = options.folder || mkdtempSync(join(tmpdir(), 'search-recall-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'base.npy'), npy(prepare(base, metric), base.V));
  writeFileSync(join(folder, 'queries.npy'), npy(prepare(queries, metric), base.V));
  writeFileSync(join(folder, 'truth.npy'), npy(Float32Array.from(truth.flatMap((set) => [...set])), 10));
  const script = new URL('search-recall.py', import.meta.url).pathname;
  const ran = spawn(options.python, [script, folder, String(bits), options.threads, ...methods], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const text of createInterface({ input: ran.stdout })) {
    const { method, recall, training, processor, rate, query, bytes, 'why not': why } = JSON.parse(text);
    if (why) console.log(`| ${method} | ${bits} | ${why} |`);
    for (const [how, [ten, hundred]] of Object.entries(recall ?? {})) {
      line(
        [method, how].filter(Boolean).join(', '),
        bits,
        { ten, hundred },
        { bytes, training, processor, rate, query },
      );
    }
  }
}

function line(what, bits, { ten, hundred }, { bytes, training, processor, rate, query }) {
  const number = (x, digits) => (x === undefined ? '' : x.toFixed(digits));
  console.log(
    `| ${what} | ${bits} | ${ten.toFixed(3)} | ${hundred.toFixed(3)} | ${bytes} | ${number(training, 1)} (${number(processor, 1)}) | ` +
      `${number(rate, 0)} | ${number(query, 2)} |`,
  );
}

async function split(path, n, count) {
  const source = await openSource(path, { values: 'numbers' });
  const total = Math.min(source.n, n + count);
  const order = permutation(total, 1);
  const values = new Float32Array(total * source.V);
  let done = 0;
  for await (const rows of source.chunks(4096)) {
    const some = rows.values.subarray(0, Math.min(rows.values.length, values.length - done));
    values.set(some, done);
    done += some.length;
    if (done === values.length) break;
  }
  const take = (rows) => {
    const out = new Float32Array(rows.length * source.V);
    rows.forEach((row, i) => {
      out.set(values.subarray(row * source.V, (row + 1) * source.V), i * source.V);
    });
    return { n: rows.length, V: source.V, values: out };
  };
  const rest = order.subarray(options.validation ? count : 0);
  return { queries: take(rest.subarray(0, count)), base: take(rest.subarray(count)) };
}

async function timed(work) {
  const began = performance.now();
  const result = await work();
  return [result, (performance.now() - began) / 1000];
}

/**
 * Codes of vectors, learned on the GPU: seconds, what codes leave of the variance, and how many neighbours
 * they find.
 *
 *   npm run build && node bench/vectors-gpu.mjs VECTORS QUERIES [--width 100] [--bits 64,128] [--metric cosine]
 *     [--rounds 100] [--engine gpu] [--repeat 2]
 *
 * Both files are NPY, or float32 numbers and nothing else, `width` of them for each vector. The first
 * learning compiles the programs; later ones show the time without that. "start" is the time until the first
 * round is over (axes, and the choice between two starts), "rounds" that of the others, "rest" the choice of
 * the temperature. Recall is that of bench/search-recall.mjs. `--engine wasm` learns on threads, for
 * comparison.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createGpuEngine, fitVectors, openScores, openSource } from 'pc-ae/node';
import { nearestTen, prepare, recallOf } from './search-truth.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: 'string', default: '100' },
    bits: { type: 'string', default: '64,128' },
    metric: { type: 'string', default: 'cosine' },
    rounds: { type: 'string' },
    engine: { type: 'string', default: 'gpu' },
    repeat: { type: 'string', default: '2' },
  },
});
const { metric } = options;
const rounds = options.rounds && Number(options.rounds);
const [base, queries] = await Promise.all(positionals.slice(0, 2).map(readVectors));
const engine = options.engine === 'gpu' ? await createGpuEngine() : undefined;
const truth = await nearestTen(prepare(base, metric), prepare(queries, metric), base.V);
console.log(
  `${engine?.name ?? 'threads'}: ${base.n} vectors of ${base.V} numbers, ${queries.n} queries, ${metric}`,
);
console.log(
  '| bits | learning, s | start + rounds + rest | error of training codes | of codes sought anew | recall | within 100 | encoding, rows/s |',
);
console.log('|---|---|---|---|---|---|---|---|');
for (const bits of options.bits.split(',').map(Number)) {
  for (let time = 0; time < Number(options.repeat); time++) await learn(bits);
}
await engine?.close();

async function learn(bits) {
  const began = performance.now();
  const seconds = [began];
  const onProgress = (share) => {
    if (seconds.length === 1 || share === 1) seconds.push(performance.now());
  };
  const model = await fitVectors(base, { bits, metric, rounds, engine, onProgress });
  const ended = performance.now();
  const parts = [...seconds, ended].map((at, i, all) => (at - all[i - 1]) / 1000).slice(1);
  const { codes, constants, error } = await model.encode(base, { engine });
  const rate = base.n / ((performance.now() - ended) / 1000);
  const search = await openScores(codes, constants);
  const { ten, hundred } = recallOf(truth, await search.nearest(model.tables(queries), 100));
  await search.close();
  const cells = [
    ...[bits, ((ended - began) / 1000).toFixed(2), parts.map((part) => part.toFixed(2)).join(' + ')],
    ...[model.training.error, error, ten, hundred].map((share) => share.toFixed(4)),
    Math.round(rate),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

async function readVectors(path) {
  if (!path.endsWith('.npy')) {
    const bytes = readFileSync(path);
    const values = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    return { n: values.length / Number(options.width), V: Number(options.width), values };
  }
  const source = await openSource(path, { values: 'numbers' });
  const values = new Float32Array(source.n * source.V);
  let done = 0;
  for await (const rows of source.chunks(4096)) {
    values.set(rows.values.subarray(0, rows.n * rows.V), done);
    done += rows.n * rows.V;
  }
  return { n: source.n, V: source.V, values };
}

/**
 * How long does a search of many codes take, next to reading them from memory once? Both in one interleaved run, on
 * the same number of threads; the best turn counts. Threads are Node workers, and both sides pay for waking them.
 *
 *   npm run build && node bench/search.mjs [--n 10000000] [--bits 64] [--k 10] [--rounds 15]
 */
import { parseArgs } from 'node:util';
import { openSearch } from 'pc-ae/node';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { openReading } from './search-read.mjs';

const { values: options } = parseArgs({
  options: {
    n: { type: 'string', default: '10000000' },
    bits: { type: 'string', default: '64' },
    k: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '15' },
  },
});
const [n, H, k, rounds] = [options.n, options.bits, options.k, options.rounds].map(Number);
const random = xoroshiro128plus(1);
const codes = randomCodes(n);
const queries = randomCodes(rounds);

for (const threads of [1, 2]) {
  const search = await openSearch(codes, { threads });
  const reading = await openReading(codes.bytes.length, threads);
  let [searched, read, together] = [Infinity, Infinity, Infinity];
  for (let round = 0; round < rounds; round++) {
    read = Math.min(read, await milliseconds(() => reading.once()));
    searched = Math.min(searched, await milliseconds(() => search.nearest(oneQuery(round), k)));
    if (round % 5 === 0) {
      together = Math.min(together, (await milliseconds(() => search.nearest(queries, k))) / rounds);
    }
  }
  console.log(
    `${threads} thread${threads > 1 ? 's' : ''}, ${n} codes of ${H} bits, top ${k}: ` +
      `${searched.toFixed(2)} ms a query, ${read.toFixed(2)} ms to read them once, ` +
      `ratio ${(searched / read).toFixed(2)}; ${rounds} queries together ${together.toFixed(2)} ms each`,
  );
  await Promise.all([search.close(), reading.close()]);
}

function randomCodes(count) {
  const bytes = new Uint8Array((count * H) / 8);
  const words = new Int32Array(bytes.buffer);
  for (let i = 0; i < words.length; i++) words[i] = random.next();
  return { n: count, H, order: 'msb', bytes };
}

function oneQuery(i) {
  return { ...queries, n: 1, bytes: queries.bytes.subarray((i * H) / 8, ((i + 1) * H) / 8) };
}

async function milliseconds(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

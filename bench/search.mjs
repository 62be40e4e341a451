/**
 * How long does a search of many codes take, by Hamming distance and by likelihood, next to reading the codes
 * from memory once? All in one interleaved run, on the same number of threads; the best turn counts. Threads
 * are Node workers, and all sides pay for waking them.
 *
 *   npm run build && node bench/search.mjs [--n 10000000] [--bits 64] [--k 10] [--rounds 15]
 */
import { parseArgs } from 'node:util';
import { linearTables } from 'pc-ae/bits';
import { openScores, openSearch } from 'pc-ae/node';
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
const constants = new Float32Array(n).map(() => random.next() / 2 ** 31);
const tables = linearTables(
  new Float32Array(rounds * H).map(() => random.next() / 2 ** 31),
  H,
);

for (const threads of [1, 2]) {
  const search = await openSearch(codes, { threads });
  const scores = await openScores(codes, constants, { threads });
  const reading = await openReading(codes.bytes.length, threads);
  const best = {
    read: Infinity,
    hamming: Infinity,
    likelihood: Infinity,
    together: Infinity,
    scored: Infinity,
  };
  const time = async (what, work, share = 1) => {
    best[what] = Math.min(best[what], (await milliseconds(work)) / share);
  };
  for (let round = 0; round < rounds; round++) {
    await time('read', () => reading.once());
    await time('hamming', () => search.nearest(oneQuery(round), k));
    await time('likelihood', () => scores.nearest(oneTable(round), k));
    if (round % 5 === 0) {
      await time('together', () => search.nearest(queries, k), rounds);
      await time('scored', () => scores.nearest(tables, k), rounds);
    }
  }
  const { read, hamming, likelihood, together, scored } = best;
  console.log(
    `${threads} thread${threads > 1 ? 's' : ''}, ${n} codes of ${H} bits, top ${k}, milliseconds per query: ` +
      `Hamming ${hamming.toFixed(2)} (${together.toFixed(2)} of ${rounds} together), ` +
      `likelihood ${likelihood.toFixed(2)} (${scored.toFixed(2)}), reading the codes once ${read.toFixed(2)}; ` +
      `likelihood / Hamming ${(likelihood / hamming).toFixed(2)} (${(scored / together).toFixed(2)})`,
  );
  await Promise.all([search.close(), scores.close(), reading.close()]);
}

function randomCodes(count) {
  const bytes = new Uint8Array((count * H) / 8);
  const words = new Int32Array(bytes.buffer);
  for (let i = 0; i < words.length; i++) words[i] = random.next();
  return { n: count, H, order: 'lsb', bytes };
}

function oneQuery(i) {
  return { ...queries, n: 1, bytes: queries.bytes.subarray((i * H) / 8, ((i + 1) * H) / 8) };
}

function oneTable(i) {
  const size = tables.values.length / rounds;
  return { ...tables, n: 1, values: tables.values.subarray(i * size, (i + 1) * size) };
}

async function milliseconds(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/**
 * With a database: it keeps the signs of centred vectors and our codes beside them, and gives a shortlist by
 * the Hamming distance of the signs; the codes of the shortlist are scored here. bench/databases.mjs says
 * what to install.
 *
 *   npm run build && node bench/search-databases.mjs VECTORS.npy [--databases pglite,sqlite] [--n 10000] [--queries 100]
 *     [--bits 64] [--shortlists 100,300,1000] [--rounds 80]
 */
import { parseArgs } from 'node:util';
import { fitVectors, openScores, openSource } from 'pc-ae/node';
import { databases } from './databases.mjs';
import { nearestTen, prepare } from './search-truth.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    databases: { type: 'string', default: 'pglite,sqlite' },
    n: { type: 'string', default: '10000' },
    queries: { type: 'string', default: '100' },
    bits: { type: 'string', default: '64' },
    shortlists: { type: 'string', default: '100,300,1000' },
    rounds: { type: 'string', default: '80' },
  },
});
const [n, count, bits, rounds] = [options.n, options.queries, options.bits, options.rounds].map(Number);
const source = await openSource(positionals[0], { values: 'numbers' });
const { V } = source;
const first = await firstRows(n + count);
const base = { n, V, values: first.slice(0, n * V) };
const queries = { n: count, V, values: first.slice(n * V, (n + count) * V) };
const truth = await nearestTen(prepare(base, 'cosine'), prepare(queries, 'cosine'), V);
const model = await fitVectors(base, { bits, metric: 'cosine', rounds });
const { codes } = await model.encode(base);
const rows = signsOf(base).map((signs, id) => ({ id, signs, code: codeOf(codes, id) }));
const asked = signsOf(queries);
const tables = model.tables(queries);
console.log(
  '| database | shortlist | in the shortlist | recall after scoring | database, ms per query | scoring, ms |',
);
console.log('|---|---|---|---|---|---|');
for (const name of options.databases.split(',')) {
  const database = await databases[name](V, bits);
  await database.add(rows);
  for (const shortlist of options.shortlists.split(',').map(Number)) await line(name, database, shortlist);
  await database.close();
}

async function line(name, database, shortlist) {
  let [held, found, waited, scored] = [0, 0, 0, 0];
  for (let q = 0; q < count; q++) {
    let began = performance.now();
    const some = await database.shortlist(asked[q], shortlist);
    waited += performance.now() - began;
    began = performance.now();
    const bytes = Uint8Array.from(some.flatMap(({ code }) => [...code]));
    const packed = { n: some.length, H: bits, order: 'lsb', bytes };
    const search = await openScores(packed, model.constants(packed), { threads: 1 });
    const size = tables.values.length / count;
    const one = { ...tables, n: 1, values: tables.values.subarray(q * size, (q + 1) * size) };
    const { indices } = await search.nearest(one, 10);
    await search.close();
    scored += performance.now() - began;
    held += some.filter(({ id }) => truth[q].has(Number(id))).length;
    found += Array.from(indices).filter((i) => truth[q].has(Number(some[i].id))).length;
  }
  const share = (x) => (x / (10 * count)).toFixed(3);
  const ms = (x) => (x / count).toFixed(1);
  console.log(
    `| ${name} | ${shortlist} | ${share(held)} | ${share(found)} | ${ms(waited)} | ${ms(scored)} |`,
  );
}

async function firstRows(amount) {
  for await (const { values } of source.chunks(amount)) return values;
}

/** Signs of centred vectors, packed with the first one least significant. */
function signsOf(vectors) {
  const values = prepare(vectors, 'cosine');
  return Array.from({ length: vectors.n }, (_, i) => {
    const bytes = new Uint8Array(Math.ceil(V / 8));
    for (let v = 0; v < V; v++) if (values[i * V + v] >= model.centre[v]) bytes[v >> 3] |= 1 << (v & 7);
    return bytes;
  });
}

function codeOf({ bytes, H }, i) {
  return bytes.slice((i * H) / 8, ((i + 1) * H) / 8);
}

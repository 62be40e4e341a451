/**
 * With a database: PostgreSQL (PGlite) with pgvector keeps the signs of vectors and our codes beside them. It gives a
 * shortlist by the Hamming distance of the signs; the codes of the shortlist are scored here.
 *
 *   npm install --no-save @electric-sql/pglite@0.3 && npm run build
 *   node bench/search-pglite.mjs VECTORS.npy [--n 10000] [--queries 100] [--bits 64] [--shortlists 100,300,1000]
 */
import { parseArgs } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite/vector';
import { codesAsText, codesFromText, openScores, reorderCodes } from 'pc-ae/bits';
import { fitVectors, openSource } from 'pc-ae/node';
import { nearestTen, prepare } from './search-truth.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    n: { type: 'string', default: '10000' },
    queries: { type: 'string', default: '100' },
    bits: { type: 'string', default: '64' },
    shortlists: { type: 'string', default: '100,300,1000' },
  },
});
const [n, count, bits] = [options.n, options.queries, options.bits].map(Number);
const source = await openSource(positionals[0], { values: 'numbers' });
const { V } = source;
const first = (
  await source
    .chunks(n + count)
    [Symbol.asyncIterator]()
    .next()
).value;
const base = { n, V, values: first.values.slice(0, n * V) };
const queries = { n: count, V, values: first.values.slice(n * V, (n + count) * V) };
const truth = nearestTen(prepare(base, 'cosine'), prepare(queries, 'cosine'), V);
const model = await fitVectors(base, { bits, metric: 'cosine' });
const { codes } = await model.encode(base, { from: model.trainingCodes });

const database = await PGlite.create({ extensions: { vector } });
await database.exec(
  `create extension vector; create table rows (id int primary key, signs bit(${V}), code bit(${bits}))`,
);
const [signs, texts] = [signsOf(base), codesAsText(codes)];
for (let from = 0; from < n; from += 500) {
  const lines = texts
    .slice(from, from + 500)
    .map((code, i) => `(${from + i}, '${signs[from + i]}', '${code}')`);
  await database.exec(`insert into rows values ${lines.join()}`);
}
const tables = model.tables(queries);
const asked = signsOf(queries);
console.log('| shortlist | in the shortlist | recall after scoring | database, ms per query | scoring, ms |');
console.log('|---|---|---|---|---|');
for (const shortlist of options.shortlists.split(',').map(Number)) {
  let [held, found, waited, scored] = [0, 0, 0, 0];
  for (let q = 0; q < count; q++) {
    let began = performance.now();
    const { rows } = await database.query(
      `select id, code::text from rows order by signs <~> '${asked[q]}' limit ${shortlist}`,
    );
    waited += performance.now() - began;
    began = performance.now();
    const some = codesFromText(rows.map(({ code }) => code));
    const lsb = reorderCodes(some, 'lsb');
    const search = await openScores(lsb, model.constants(lsb));
    const size = tables.values.length / count;
    const one = { ...tables, n: 1, values: tables.values.subarray(q * size, (q + 1) * size) };
    const { indices } = await search.nearest(one, 10);
    await search.close();
    scored += performance.now() - began;
    held += rows.filter(({ id }) => truth[q].has(id)).length;
    found += Array.from(indices).filter((i) => truth[q].has(rows[i].id)).length;
  }
  const share = (x) => (x / (10 * count)).toFixed(3);
  const ms = (x) => (x / count).toFixed(1);
  console.log(`| ${shortlist} | ${share(held)} | ${share(found)} | ${ms(waited)} | ${ms(scored)} |`);
}
await database.close();

/** Signs of centred vectors, as pgvector takes bits. */
function signsOf(vectors) {
  const values = prepare(vectors, 'cosine');
  return Array.from({ length: vectors.n }, (_, i) =>
    Array.from({ length: V }, (_, v) => (values[i * V + v] < model.centre[v] ? 0 : 1)).join(''),
  );
}

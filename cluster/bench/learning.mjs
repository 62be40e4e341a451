// `npm run cluster:learning -- FILE [--rows N] [--held N] [--sample N] [--rounds K] [-H H]`: rounds against
// `fit` with as many passes, on rows that neither has seen. The rows of the file are split: the first N are
// learned from, the last ones are held out.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fit } from 'pc-ae';
import { createEngine, openSource } from 'pc-ae/node';
import { collect, memorySource, sliceRows } from 'pc-ae/rows';
import { openBoard, openStore } from '../dist/addresses.js';
import { openTable } from '../dist/jobs/table.js';
import { trainTable } from '../dist/jobs/train.js';
import { shardSource } from '../dist/shard.js';
import { work } from '../dist/worker.js';

const number = (name, value) => ({ type: 'string', default: String(value), short: name });
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ rows: number('n', 10_000), held: number('v', 2000), sample: number('s', 2500) },
    ...{ rounds: number('r', 10), hidden: number('H', 8), skip: number('k', 0) },
  },
});
const [n, held, sampleRows, rounds, H, skip] = ['rows', 'held', 'sample', 'rounds', 'hidden', 'skip'].map(
  (name) => Number(values[name]),
);
const all = await collect(await openSource(positionals[0]));
const rows = sliceRows(all, 0, Math.min(n, all.n - held));
const others = positionals[1]
  ? await collect(await openSource(positionals[1]))
  : sliceRows(all, all.n - held - skip, all.n - skip);
const folder = mkdtempSync(join(tmpdir(), 'pcae-learning-'));
const engine = await createEngine({ threads: 1, relaxed: false });
const stop = new AbortController();
const user = () => process.cpuUsage().user / 1e6;
const judge = async (model) => (await model.evaluate(others, { engine, tolerance: 0.05 })).loss;
try {
  const board = await openBoard(`file:${join(folder, 'queue')}`);
  const store = await openStore(`file:${join(folder, 'store')}`);
  const { manifest } = await shardSource(memorySource(rows), store, { shardRows: Math.ceil(rows.n / 4) });
  const working = work(board, store, engine, { name: 'one', signal: stop.signal });
  let seconds = user();
  const crew = { board, store };
  const model = await trainTable(await openTable(manifest, store), { H, rounds, sampleRows }, crew);
  seconds = user() - seconds;
  stop.abort();
  await working;
  const loss = await judge(model);
  console.log(
    `rounds: ${loss.toFixed(3)} nats per held-out row after ${rounds} rounds, ${seconds.toFixed(1)} s`,
  );
  for (const epochs of [rounds, 2 * rounds]) {
    let began = user();
    const one = await fit(rows, { H, epochs, engine });
    began = user() - began;
    const other = await judge(one);
    const behind = `${(100 * (loss / other - 1)).toFixed(2)}%`;
    console.log(
      `fit:    ${other.toFixed(3)} after ${epochs} epochs, ${began.toFixed(1)} s; rounds are ${behind} behind`,
    );
  }
} finally {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

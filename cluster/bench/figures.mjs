// `npm run cluster:bench -- [--rows 1000000] [--encode-rows N] [--redis-rounds 1000] [--workers 1,2]
// [--rounds 3] [--hidden 32] [--queue redis|file] [--folder FOLDER]`: what additional workers gain. Workers
// are processes of one thread on this machine, which the coordinator shares with them. 0 rows or rounds leave
// a part out. With --folder, shards and figures are kept there, and a later call may measure other numbers of
// workers: at 1,000,000 rows each takes minutes.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { digits, fit } from 'pc-ae';
import { createEngine } from 'pc-ae/node';
import { asRows, memorySource } from 'pc-ae/rows';
import { openBoard, openStore } from '../dist/addresses.js';
import { encodeTable } from '../dist/jobs/encode.js';
import { openTable } from '../dist/jobs/table.js';
import { trainTable } from '../dist/jobs/train.js';
import { manifestBytes, readManifest } from '../dist/manifest.js';
import { shardSource } from '../dist/shard.js';
import { table as paperTable, predictedRound } from './model.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    hidden: { type: 'string', default: '32' },
    workers: { type: 'string', default: '1,2' },
    'redis-rounds': { type: 'string', default: '1000' },
    'encode-rows': { type: 'string' },
    rounds: { type: 'string', default: '3' },
    queue: { type: 'string' },
    folder: { type: 'string' },
  },
});
const [n, H, redisRounds] = [values.rows, values.hidden, values['redis-rounds']].map(Number);
const crews = values.workers.split(',').map(Number);
const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
const kind = values.queue ?? (hasRedis ? 'redis' : 'file');
/** Files of this call alone, and what later calls find. */
const folder = mkdtempSync(join(tmpdir(), 'pcae-bench-'));
const kept = values.folder ?? folder;
mkdirSync(kept, { recursive: true });
const main = join(import.meta.dirname, '..', 'dist', 'main.js');
const children = [];
const places = { store: `file:${join(folder, 'store')}`, queue: await queue() };

function start(program, words) {
  const child = spawn(program, words, { stdio: 'ignore' });
  children.push(child);
  return child;
}

async function queue() {
  if (kind !== 'redis') return `file:${join(folder, 'queue')}`;
  const socket = join(folder, 'redis.sock');
  start('redis-server', [
    '--port',
    '0',
    '--unixsocket',
    socket,
    '--dir',
    folder,
    '--appendonly',
    'yes',
    '--save',
    '',
  ]);
  while (!existsSync(socket)) await sleep(20);
  return `unix:${socket}`;
}

/** So many workers of one thread for as long as something is done. */
async function withWorkers(count, store, action) {
  const crew = Array.from({ length: count }, (_, k) =>
    start(process.execPath, [
      main,
      'worker',
      '--queue',
      places.queue,
      '--store',
      store,
      '--name',
      `w${k}-${count}`,
    ]),
  );
  const board = await openBoard(places.queue);
  const here = async () => (await board.notices()).filter(({ name }) => name.endsWith(`-${count}`)).length;
  while ((await here()) < count) await sleep(50);
  const processor = () => crew.reduce((sum, { pid }) => sum + processorSeconds(pid), 0);
  try {
    return await action({ board, store: await openStore(store), processor });
  } finally {
    for (const child of crew) child.kill('SIGTERM');
    await Promise.all(crew.map((child) => new Promise((done) => child.once('close', done))));
    await board.close();
  }
}

/** Seconds that a process has had of processors, as Linux counts them; NaN elsewhere. */
function processorSeconds(pid) {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  // The second field is the program's name in brackets.
  const fields = readFileSync(path, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Generated digits, over and over. */
function rowsOf(count) {
  const train = asRows(digits({ train: Math.min(count, 20_000), test: 1 }).train);
  const bits = new Uint8Array((train.bits.length / train.n) * count);
  for (let at = 0; at < bits.length; at += train.bits.length)
    bits.set(train.bits.subarray(0, Math.min(train.bits.length, bits.length - at)), at);
  return { kind: 'bits', n: count, V: train.V, bits };
}

/** At least two dozen shards: fewer cannot be dealt evenly. */
function shardRows(count) {
  return Math.min(42_799, Math.ceil(count / 24));
}

async function shardsOf(count, shardRows) {
  const path = join(kept, `table-${count}`);
  const address = `file:${path}`;
  mkdirSync(path, { recursive: true });
  const manifestPath = join(path, 'manifest.json');
  if (!existsSync(manifestPath)) {
    const store = await openStore(address);
    const { manifest } = await shardSource(memorySource(rowsOf(count)), store, { shardRows });
    writeFileSync(manifestPath, manifestBytes(manifest));
  }
  const { manifest } = readManifest(readFileSync(manifestPath), manifestPath);
  return { path, address, manifest };
}

/** Figures of this call and of earlier ones, by their names. */
const figuresPath = join(kept, 'figures.json');
const figures = existsSync(figuresPath) ? JSON.parse(readFileSync(figuresPath, 'utf8')) : {};
function record(name, figure) {
  figures[name] = figure;
  writeFileSync(figuresPath, JSON.stringify(figures, undefined, 1));
  return figure;
}

/**
 * Means per round: seconds, seconds of work, of the coordinator's processor, and bytes per worker. The first
 * round does not count: workers read their shards in it, and codes begin. Nor do rounds that were discarded,
 * which have one wave only, and rounds in which other programs kept workers from the processors. Every crew
 * does the same rounds, in a store without their answers.
 */
async function rounds({ path, manifest }, workers) {
  const store = join(folder, `store-${workers}`);
  cpSync(path, store, { recursive: true });
  return withWorkers(workers, `file:${store}`, async (crew) => {
    let worked = 0;
    const onAnswer = (_done, _of, { seconds }) => {
      worked += seconds;
    };
    const moved = async () =>
      (await crew.board.notices())
        .filter(({ name }) => name.endsWith(`-${workers}`))
        .reduce((sum, { bytesIn, bytesOut }) => sum + bytesIn + bytesOut, 0);
    const marks = [];
    const enough = new AbortController();
    const onRound = (round, loss) => {
      const { user } = process.cpuUsage();
      const at = performance.now() / 1000;
      const mark = { at, worked, user: user / 1e6, processor: crew.processor(), bytes: moved(), loss };
      const before = marks.at(-1);
      marks.push(mark);
      if (before)
        say(
          `  round ${round}: ${(mark.at - before.at).toFixed(2)} s, work ${(mark.worked - before.worked).toFixed(2)} s, ` +
            `${(mark.processor - before.processor).toFixed(2)} s of them on a processor` +
            `${before.loss === loss ? ' (discarded)' : ''}${disturbed(before, mark) ? ' (disturbed)' : ''}`,
        );
      // The proof of all codes is not measured.
      if (round === ROUNDS) enough.abort();
    };
    const options = { H, rounds: ROUNDS, sampleRows: 2000, sampleEpochs: 2, seed: SEED, onRound };
    const table = await openTable(manifest, crew.store);
    await trainTable(table, options, { ...crew, onAnswer, signal: enough.signal }).catch((error) => {
      if (!enough.signal.aborted) throw error;
    });
    const bytes = await Promise.all(marks.map((mark) => mark.bytes));
    const counted = marks
      .map((_, k) => k)
      .filter((k) => k > 0 && marks[k].loss !== marks[k - 1].loss && !disturbed(marks[k - 1], marks[k]));
    const mean = (of) => counted.reduce((sum, k) => sum + of(k) - of(k - 1), 0) / counted.length;
    return {
      ...{ rounds: counted.length, seconds: mean((k) => marks[k].at), worked: mean((k) => marks[k].worked) },
      ...{ user: mean((k) => marks[k].user), processor: mean((k) => marks[k].processor) },
      bytes: mean((k) => bytes[k]) / workers,
    };
  });
}

/**
 * Whether, between two marks, workers had at least a tenth less processor time than the coordinator left
 * them.
 */
function disturbed(before, after) {
  const left = availableParallelism() * (after.at - before.at) - (after.user - before.user);
  return after.processor - before.processor < 0.9 * Math.min(after.worked - before.worked, left);
}

const ROUNDS = Number(values.rounds);
const SEED = 1;
/** Seconds of the coordinator for one worker's sums at 784 x 32: read, hashed and added up. */
const PER_WORKER = 0.003;
const say = (text) => console.log(text);
const ratio = (x) => x.toFixed(2);

/** Rounds of almost nothing: what handing out two waves costs, and what stays in Redis. */
async function waves() {
  const small = await shardsOf(64, 16);
  const [marks, memory] = [[], []];
  const used = () =>
    /used_memory_human:(\S+)/.exec(
      spawnSync('redis-cli', ['-s', join(folder, 'redis.sock'), 'info', 'memory']).stdout?.toString() ?? '',
    )?.[1] ?? 'none';
  await withWorkers(1, small.address, async (crew) => {
    const table = await openTable(small.manifest, crew.store);
    const onRound = (round) => {
      marks.push(performance.now() / 1000);
      if (kind === 'redis' && round % Math.ceil(redisRounds / 10) === 0) {
        memory.push(`${used()} after ${round}`);
        say(`  Redis memory: ${memory.at(-1)} rounds`);
      }
    };
    const seed = Math.floor(Date.now() / 1000);
    const options = { H: 2, rounds: redisRounds, sampleRows: 64, sampleEpochs: 1, seed, onRound };
    await trainTable(table, options, crew);
  });
  const seconds = (marks.at(-1) - marks[0]) / (marks.length - 1) / 2;
  record('wave', seconds);
  say(`Redis memory: ${used()} at the end; a wave of almost nothing takes ${(1000 * seconds).toFixed(1)} ms`);
}

async function learning() {
  const table = await shardsOf(n, shardRows(n));
  const S = table.manifest.shards.length;
  const wave = figures.wave ?? WAVE;
  for (const workers of crews) {
    const found = record(`rounds ${n} ${workers}`, await rounds(table, workers));
    const { seconds, worked, user, bytes } = found;
    const one = figures[`rounds ${n} 1`];
    say(
      `${workers} workers: ${seconds.toFixed(2)} s per round, mean of ${found.rounds} (work ${worked.toFixed(2)}, ` +
        `coordinator ${user.toFixed(2)}); coordination and waiting ${(100 * (1 - worked / workers / seconds)).toFixed(1)}%; ` +
        `${(bytes / 1000).toFixed(1)} kB per worker and round, ${ratio(bytes / (8 * 784 * H))} x 2 x 4VH`,
    );
    if (!one) continue;
    // All that is not work and not a wave of nothing, at one worker, is the coordinator's; adding sums up
    // grows with workers.
    const rest = Math.max(0, one.seconds - one.worked - 2 * wave - PER_WORKER);
    const costs = { hessians: one.user, wave, perWorker: PER_WORKER, rest };
    const cores = availableParallelism();
    const predicted = predictedRound({ S, workers, ...costs, work: one.worked, cores });
    say(
      `  ${ratio(one.seconds / seconds)} x one; predicted ${predicted.toFixed(2)} s ` +
        `(${(100 * (predicted / seconds - 1)).toFixed(0)}%)`,
    );
    if (workers === crews.at(-1)) say(paperTable({ rowSeconds: one.worked / n, ...costs }));
  }
}

async function encoding(rows) {
  const table = await shardsOf(rows, shardRows(rows));
  const model = await someModel();
  for (const workers of crews) {
    let worked = 0;
    const onAnswer = (_done, _of, answer) => {
      worked += answer.seconds;
    };
    const seconds = await withWorkers(workers, table.address, async (crew) => {
      const opened = await openTable(table.manifest, crew.store);
      const from = performance.now();
      // Another tolerance makes other tasks: nothing is found done already.
      const options = { tolerance: 0.01 + 1e-12 * (Date.now() % 1e9) };
      for await (const _ of encodeTable(opened, model, { ...crew, onAnswer }, options));
      return (performance.now() - from) / 1000;
    });
    record(`encode ${rows} ${workers}`, seconds);
    const one = figures[`encode ${rows} 1`];
    say(
      `encode ${rows} rows, ${workers} workers: ${seconds.toFixed(1)} s, work ${worked.toFixed(1)} s` +
        `${one ? `, ${ratio(one / seconds)} x one` : ''}`,
    );
  }
}

/** A model to encode with. */
async function someModel() {
  const engine = await createEngine({ threads: 1 });
  try {
    return await fit(digits({ train: 2000, test: 1 }).train, { H, epochs: 4, engine });
  } finally {
    await engine.close();
  }
}

/** Seconds of a wave of almost nothing, where this was not measured. */
const WAVE = 0.08;

function leave() {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    leave();
    process.exit(1);
  });
try {
  say(`queue: ${kind}; 784 bits, H = ${H}, workers of one thread: ${crews.join(', ')}`);
  if (redisRounds > 0) await waves();
  if (n > 0) await learning();
  const encodeRows = Number(values['encode-rows'] ?? n);
  if (encodeRows > 0) await encoding(encodeRows);
} finally {
  leave();
}
process.exit(0);

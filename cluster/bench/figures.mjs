// `npm run cluster:bench -- [--rows 1000000] [--hidden 32] [--workers 1,2] [--rounds 4] [--redis-rounds 1000] [--queue redis|file]`: what
// many workers are worth. Workers are processes of one thread on this machine, so that more of them than it has cores (the coordinator
// needs some of one too) tell nothing. All figures of a run are ratios of that run; the lines say what is measured and what is worked out.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { digits } from 'pc-ae';
import { asRows, memorySource } from 'pc-ae/rows';
import { openBoard, openStore } from '../dist/addresses.js';
import { encodeTable } from '../dist/jobs/encode.js';
import { openTable } from '../dist/jobs/table.js';
import { trainTable } from '../dist/jobs/train.js';
import { shardSource } from '../dist/shard.js';
import { table as paperTable, predictedRound } from './model.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    hidden: { type: 'string', default: '32' },
    workers: { type: 'string', default: '1,2' },
    'redis-rounds': { type: 'string', default: '1000' },
    'encode-rows': { type: 'string' },
    rounds: { type: 'string', default: '4' },
    queue: { type: 'string' },
  },
});
const [n, H, redisRounds] = [values.rows, values.hidden, values['redis-rounds']].map(Number);
const crews = values.workers.split(',').map(Number);
const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
const kind = values.queue ?? (hasRedis ? 'redis' : 'file');
const folder = mkdtempSync(join(tmpdir(), 'pcae-bench-'));
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
  try {
    return await action({ board, store: await openStore(store) });
  } finally {
    for (const child of crew) child.kill('SIGTERM');
    await Promise.all(crew.map((child) => new Promise((done) => child.once('close', done))));
    await board.close();
  }
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

async function shardsOf(rows, name, shardRows) {
  const address = `file:${join(folder, name)}`;
  mkdirSync(join(folder, name), { recursive: true });
  const store = await openStore(address);
  const { manifest } = await shardSource(memorySource(rows), store, { shardRows });
  return { address, manifest };
}

/** Means of the second to the last round: seconds, seconds of work, of the coordinator's processor, and bytes per worker. */
async function rounds({ address, manifest }, workers) {
  return withWorkers(workers, address, async (crew) => {
    let worked = 0;
    const onAnswer = (_done, _of, { seconds }) => {
      worked += seconds;
    };
    const moved = async () =>
      (await crew.board.notices())
        .filter(({ name }) => name.endsWith(`-${workers}`))
        .reduce((sum, { bytesIn, bytesOut }) => sum + bytesIn + bytesOut, 0);
    const marks = [];
    const onRound = () => {
      const { user } = process.cpuUsage();
      marks.push({ at: performance.now() / 1000, worked, user: user / 1e6, bytes: moved() });
    };
    const options = { H, rounds: ROUNDS, sampleRows: 2000, sampleEpochs: 2, seed: workers, onRound };
    const table = await openTable(manifest, crew.store);
    const model = await trainTable(table, options, { ...crew, onAnswer });
    const [first, last] = [marks[0], marks.at(-1)];
    const mean = (from, to) => (to - from) / (ROUNDS - 1);
    return {
      model,
      seconds: mean(first.at, last.at),
      worked: mean(first.worked, last.worked),
      user: mean(first.user, last.user),
      bytes: mean(await first.bytes, await last.bytes) / workers,
    };
  });
}

/** Rounds that are measured: codes begin anew in the first, which counts for nothing. */
const ROUNDS = Number(values.rounds);
/** Seconds of the coordinator for one worker's sums at 784 x 32: read, hashed and added up. */
const PER_WORKER = 0.003;
const say = (text) => console.log(text);
const ratio = (x) => x.toFixed(2);
async function measured() {
  say(`queue: ${kind}; ${n} rows of 784 bits, H = ${H}, workers of one thread: ${crews.join(', ')}`);
  const small = await shardsOf(rowsOf(64), 'tiny', 16);
  // Rounds of almost nothing: what handing out two waves costs, and what stays in Redis.
  const [marks, memory] = [[], []];
  const used = () =>
    /used_memory_human:(\S+)/.exec(
      spawnSync('redis-cli', ['-s', join(folder, 'redis.sock'), 'info', 'memory']).stdout?.toString() ?? '',
    )?.[1] ?? 'none';
  await withWorkers(1, small.address, async (crew) => {
    const table = await openTable(small.manifest, crew.store);
    const onRound = (round) => {
      marks.push(performance.now() / 1000);
      if (kind === 'redis' && round % Math.ceil(redisRounds / 4) === 0)
        memory.push(`${used()} after ${round}`);
    };
    await trainTable(table, { H: 2, rounds: redisRounds, sampleRows: 64, sampleEpochs: 1, onRound }, crew);
  });
  const wave = (marks.at(-1) - marks[0]) / (marks.length - 1) / 2;
  say(
    `Redis memory: ${memory.join(', ')} rounds, ${used()} at the end; a wave of almost nothing takes ${(1000 * wave).toFixed(1)} ms`,
  );
  if (n === 0) return;

  const big = await shardsOf(rowsOf(n), 'store', shardRows(n));
  const S = big.manifest.shards.length;
  const found = [];
  for (const workers of crews) {
    found.push({ workers, ...(await rounds(big, workers)) });
    const [one] = found;
    const { seconds, worked, user, bytes } = found.at(-1);
    // All that is not work and not a wave of nothing, at one worker, is the coordinator's; adding sums up grows with workers.
    const perWorker = PER_WORKER;
    const rest = Math.max(0, one.seconds - one.worked - 2 * wave - perWorker);
    const costs = { work: one.worked, hessians: one.user, wave, perWorker, rest };
    const predicted = predictedRound({ S, workers, ...costs, cores: availableParallelism() });
    say(
      `${workers} workers: ${seconds.toFixed(2)} s per round (work ${worked.toFixed(2)}, coordinator ${user.toFixed(2)}), ` +
        `${ratio(one.seconds / seconds)} x one; coordination and waiting ${(100 * (1 - worked / workers / seconds)).toFixed(1)}%; ` +
        `predicted ${predicted.toFixed(2)} s (${(100 * (predicted / seconds - 1)).toFixed(0)}%); ` +
        `${(bytes / 1000).toFixed(1)} kB per worker and round, ${ratio(bytes / (8 * 784 * H))} x 2 x 4VH`,
    );
    if (workers === crews.at(-1))
      say(paperTable({ rowSeconds: one.worked / n, hessians: one.user, wave, perWorker, rest }));
  }
  const [one] = found;
  const rows = Number(values['encode-rows'] ?? n);
  if (rows === 0) return;
  const table = await shardsOf(rowsOf(rows), 'encode', shardRows(rows));
  const times = [];
  for (const workers of crews) {
    times.push(
      await withWorkers(workers, table.address, async (crew) => {
        const from = performance.now();
        // Another tolerance makes other tasks: nothing is found done already.
        const options = { tolerance: 0.01 + 1e-6 * workers };
        for await (const _ of encodeTable(
          await openTable(table.manifest, crew.store),
          one.model,
          crew,
          options,
        ));
        return (performance.now() - from) / 1000;
      }),
    );
    say(
      `encode ${rows} rows, ${workers} workers: ${times.at(-1).toFixed(1)} s, ${ratio(times[0] / times.at(-1))} x one`,
    );
  }
}

try {
  await measured();
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

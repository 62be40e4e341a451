// `npm run cluster:campaign -- [--schedules 100] [--minutes 20] [--seed K] [--queue file|redis]`: trains a small table again and again
// while workers, the coordinator and Redis are killed and stopped at random moments. Every model must be the one of an undisturbed
// run, bit for bit. Prints its seed first: the same seed draws the same schedules.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { encodeRows } from 'pc-ae/formats';
import { digits, writeAtomic } from 'pc-ae/node';
import { asSource } from 'pc-ae/rows';

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    queue: { type: 'string' },
  },
});
const [SHARDS, ROUNDS, LEASE] = [4, 2, 2];
/** Moments of a run, by what a worker has said last that it did; 'begin' is before anything. What is done then is in brackets. */
const MOMENTS = {
  begin: 'begin (samples are drawn)',
  sample: 'sample (more samples, or the start)',
  start: 'start (samples, or round 1)',
  'round 1': 'round 1 (round 1, or its step is worked out)',
  'search 1': 'search 1 (search 1, or W goes its step)',
  'round 2': 'round 2 (round 2, or its step is worked out)',
  'search 2': 'search 2 (search 2, or W goes its step)',
  settle: 'settle (codes are proven, or the model is written)',
};

let state = Number(values.seed);
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const pick = (of) => of[Math.floor(of.length * random())];

const folder = mkdtempSync(join(tmpdir(), 'pcae-campaign-'));
const main = join(import.meta.dirname, 'dist', 'main.js');
const running = new Set();
/** What workers of the run have done. */
const heard = new Set();

function start(program, words) {
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  running.add(child);
  let said = '';
  child.stderr.on('data', (text) => {
    said = (said + text).slice(-2000);
    for (const [, kind, round = ''] of String(text).matchAll(/: (\w+)( \d+)? of shards? [^:]*: done/g))
      heard.add(kind + round);
  });
  child.ended = new Promise((done) =>
    child.on('close', (code) => {
      running.delete(child);
      done({ code, said });
    }),
  );
  return child;
}

/** A run in a folder of its own, disturbed at the moments of its events; gives the bytes of the model. */
async function train(name, kind, workers, events, counts) {
  const home = join(folder, name);
  mkdirSync(home);
  heard.clear();
  heard.add('begin');
  cpSync(join(folder, 'store'), join(home, 'store'), { recursive: true });
  const socket = join(home, 'redis.sock');
  const redis = async () => {
    const words = ['--port', '0', '--unixsocket', socket, '--dir', home, '--appendonly', 'yes', '--save', ''];
    const server = start('redis-server', words);
    while (!existsSync(socket)) await sleep(10);
    return server;
  };
  const queue = kind === 'redis' ? `unix:${socket}` : `file:${join(home, 'queue')}`;
  const places = ['--queue', queue, '--store', `file:${join(home, 'store')}`, '--lease', String(LEASE)];
  const worker = () => start(process.execPath, [main, 'worker', ...places]);
  const coordinator = () =>
    start(process.execPath, [
      ...[main, 'train', join(folder, 'table.json'), '-H', '3', '-o', join(home, 'model'), '--force'],
      ...['--rounds', String(ROUNDS), '--sample-rows', '150', '--sample-epochs', '3', ...places],
    ]);
  const actors = { redis: kind === 'redis' ? await redis() : undefined, coordinator: coordinator() };
  const crew = Array.from({ length: workers }, worker);
  const waiting = [...events];
  let result;
  const watch = async (child) => {
    const end = await child.ended;
    if (child === actors.coordinator) result = end;
  };
  watch(actors.coordinator);
  while (!result) {
    await sleep(2);
    if (waiting.length === 0 || !heard.has(waiting[0].after)) continue;
    const { victim, how, after, pause } = waiting.shift();
    await sleep(pause);
    if (result) break;
    const key = `${how} ${victim} after ${MOMENTS[after]}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const k = Math.floor(crew.length * random());
    const child = victim === 'worker' ? crew[k] : actors[victim];
    if (how === 'stop') {
      child.kill('SIGSTOP');
      sleep(1500 * LEASE).then(() => child.kill('SIGCONT'));
      if (victim === 'worker') crew.push(worker());
      continue;
    }
    if (victim === 'coordinator') actors.coordinator = undefined;
    child.kill('SIGKILL');
    await child.ended;
    if (victim === 'worker') crew[k] = worker();
    else if (victim === 'redis') {
      rmSync(socket, { force: true });
      actors.redis = await redis();
    } else {
      actors.coordinator = coordinator();
      watch(actors.coordinator);
    }
  }
  for (const child of [...running]) child.kill('SIGKILL');
  await Promise.all([...running].map((child) => child.ended));
  if (result.code !== 0) throw new Error(`${name} failed: ${result.said}`);
  const model = readFileSync(join(home, 'model'));
  rmSync(home, { recursive: true, force: true });
  return model;
}

const counts = new Map();
let [same, differing] = [0, 0];
try {
  const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
  const kinds = values.queue ? [values.queue] : hasRedis ? ['file', 'redis'] : ['file'];
  console.log(`seed ${values.seed}; queues: ${kinds.join(', ')}`);
  await writeAtomic(
    join(folder, 'rows.bits'),
    encodeRows(asSource(digits({ train: 480, test: 1 }).train), 'bits'),
  );
  const words = [
    'shard',
    join(folder, 'rows.bits'),
    '-o',
    join(folder, 'table.json'),
    '--shard-rows',
    String(480 / SHARDS),
  ];
  const cut = await start(process.execPath, [main, ...words, '--store', `file:${join(folder, 'store')}`])
    .ended;
  if (cut.code !== 0) throw new Error(cut.said);
  const expected = await train('undisturbed', 'file', 1, [], counts);
  const until = Date.now() + 60_000 * Number(values.minutes);
  for (let k = 0; k < Number(values.schedules) && Date.now() < until; k++) {
    const kind = pick(kinds);
    const events = Array.from({ length: 1 + Math.floor(3 * random()) }, () => {
      const victim = pick(['worker', 'worker', 'coordinator', ...(kind === 'redis' ? ['redis'] : [])]);
      const how = random() < 0.2 ? 'stop' : 'kill';
      return { after: pick(Object.keys(MOMENTS)), pause: Math.floor(80 * random()), victim, how };
    }).sort((a, b) => Object.keys(MOMENTS).indexOf(a.after) - Object.keys(MOMENTS).indexOf(b.after));
    const model = await train(`schedule-${k}`, kind, 1 + Math.floor(3 * random()), events, counts);
    if (model.equals(expected)) same++;
    else {
      differing++;
      console.log(`schedule ${k} (${kind}) led to another model: ${JSON.stringify(events)}`);
    }
  }
  process.exitCode = differing > 0 ? 1 : 0;
} finally {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  console.log(`${same + differing} schedules: ${same} gave the same model, ${differing} another one`);
  for (const key of [...counts.keys()].sort()) console.log(`  ${counts.get(key)} x ${key}`);
}

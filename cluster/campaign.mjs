// `npm run cluster:campaign -- [--schedules 100] [--minutes 90] [--seed K] [--queue file|redis] [--from K]`:
// trains a small table again and again while workers, the coordinator and Redis are killed and stopped. Every
// model must be the one of an undisturbed run, bit for bit. The first schedules kill each of the three once
// in each phase of a run; the others are random. The seed is printed first: the same seed gives the same
// schedules, and `--from` continues with a later one.
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
    minutes: { type: 'string', default: '90' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    queue: { type: 'string' },
  },
});
const [SHARDS, ROUNDS, LEASE] = [4, 2, 2];
/**
 * Moments of a run, by what a worker has said last that it did; 'begin' is before anything. What is done then
 * is in brackets.
 */
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

let state = 0;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const pick = (of) => of[Math.floor(of.length * random())];

/** Schedule k: each victim is killed at each moment first, then victims and moments are drawn. */
function schedule(k, kinds) {
  state = (Number(values.seed) + 7919 * k) >>> 0;
  for (let warm = 0; warm < 3; warm++) random();
  const moments = Object.keys(MOMENTS);
  const pause = () => Math.floor(80 * random());
  const workers = 1 + Math.floor(3 * random());
  const each = ['worker', 'coordinator', ...(kinds.includes('redis') ? ['redis'] : [])].flatMap((victim) =>
    moments.map((after) => ({ after, pause: pause(), victim, how: 'kill' })),
  );
  if (k < each.length) return { kind: kinds.at(-1), workers, events: [each[k]] };
  const kind = pick(kinds);
  const events = Array.from({ length: 1 + Math.floor(3 * random()) }, () => {
    const victim = pick(['worker', 'worker', 'coordinator', ...(kind === 'redis' ? ['redis'] : [])]);
    return { after: pick(moments), pause: pause(), victim, how: random() < 0.2 ? 'stop' : 'kill' };
  }).sort((a, b) => moments.indexOf(a.after) - moments.indexOf(b.after));
  return { kind, workers, events };
}

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
let [same, differing, failed] = [0, 0, 0];
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
  for (let k = Number(values.from); k < Number(values.schedules) && Date.now() < until; k++) {
    const { kind, workers, events } = schedule(k, kinds);
    const what = `schedule ${k} (${kind}, ${workers} workers, ${JSON.stringify(events)})`;
    try {
      const model = await train(`schedule-${k}`, kind, workers, events, counts);
      if (model.equals(expected)) same++;
      else differing++;
      console.log(`${what}: ${model.equals(expected) ? 'the same model' : 'ANOTHER MODEL'}`);
    } catch (error) {
      failed++;
      console.log(`${what}: ${error.message}`);
    }
  }
  process.exitCode = differing + failed > 0 ? 1 : 0;
} finally {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  console.log(
    `${same + differing + failed} schedules: ${same} gave the same model, ${differing} another one, ${failed} an error`,
  );
  for (const key of [...counts.keys()].sort()) console.log(`  ${counts.get(key)} x ${key}`);
}

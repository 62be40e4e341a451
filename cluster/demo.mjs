// `npm run cluster:demo`: Redis, two workers and a run on generated digits, all on this machine.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeRows } from 'pc-ae/formats';
import { digits, writeAtomic } from 'pc-ae/node';
import { asSource } from 'pc-ae/rows';

const folder = mkdtempSync(join(tmpdir(), 'pcae-demo-'));
const at = (name) => join(folder, name);
const children = [];
const main = join(import.meta.dirname, 'dist', 'main.js');

/** Starts a program; its last words are shown under its name. */
function start(name, program, words, env) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const show = (text) => {
    for (const line of String(text).split('\n'))
      if (line) console.log(`${name}: ${line.replaceAll(`${folder}/`, '')}`);
  };
  if (name) for (const stream of [child.stdout, child.stderr]) stream.on('data', show);
  children.push(child);
  return new Promise((done) => child.on('close', done));
}

async function queue() {
  if (spawnSync('redis-server', ['--version']).status !== 0) {
    console.log(
      'redis-server is not installed (Debian: apt-get install redis-server): the queue is a folder instead',
    );
    return `file:${at('queue')}`;
  }
  const socket = at('redis.sock');
  start('', 'redis-server', ['--port', '0', '--unixsocket', socket, '--dir', folder, '--appendonly', 'yes']);
  while (!existsSync(socket)) await sleep(20);
  return `unix:${socket}`;
}

try {
  const env = { PCAE_QUEUE: await queue(), PCAE_STORE: `file:${at('store')}` };
  const { train, test } = digits({ train: 4000, test: 500 });
  await writeAtomic(at('train.bits'), encodeRows(asSource(train), 'bits'));
  await writeAtomic(at('test.bits'), encodeRows(asSource(test), 'bits'));
  const run = async (...words) => {
    console.log(`\n$ pcae-cluster ${words.join(' ').replaceAll(`${folder}/`, '')}`);
    if ((await start(words[0], process.execPath, [main, ...words], env)) !== 0)
      throw new Error(`${words[0]} failed`);
  };
  await run('shard', at('train.bits'), '-o', at('train.json'), '--shard-rows', '500');
  await run('shard', at('test.bits'), '-o', at('test.json'), '--shard-rows', '250');
  for (const name of ['ann', 'bob']) start(name, process.execPath, [main, 'worker', '--name', name], env);
  await run(
    'train',
    at('train.json'),
    '-H',
    '8',
    '-o',
    at('model'),
    '--rounds',
    '4',
    '--sample-rows',
    '1000',
  );
  await run('status');
  await run('eval', at('model'), at('test.json'));
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

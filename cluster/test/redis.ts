import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll } from 'vitest';
import { until } from './helpers.ts';

/** Whether tests can have a Redis of their own. In CI they must. */
export const hasRedis = process.env.CI === 'true' || spawnSync('redis-server', ['--version']).status === 0;

if (!hasRedis)
  console.warn(
    'tests of the queue on Redis are skipped: install redis-server (Debian: apt-get install redis-server)',
  );

/** A real Redis on a socket in a folder, with its append-only file on: it may be killed and started again. */
export function redisServer(folder: string, more: Readonly<Record<string, string>> = {}) {
  const socket = `${folder}/redis.sock`;
  let server: ChildProcess | undefined;
  const kill = async () => {
    const dying = server;
    server = undefined;
    if (!dying || dying.exitCode !== null || dying.signalCode !== null) return;
    await new Promise((done) => dying.once('close', done).kill('SIGKILL'));
  };
  afterAll(kill);
  return {
    address: `unix:${socket}`,
    kill,
    /** Starts it, unless it runs. */
    async start() {
      if (server) return;
      mkdirSync(folder, { recursive: true });
      const settings = { port: '0', unixsocket: socket, dir: folder, appendonly: 'yes', save: '', ...more };
      const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
      server = spawn('redis-server', words, { stdio: 'ignore' });
      await until(() => existsSync(socket) && answers(socket));
    },
  };
}

function answers(socket: string): Promise<boolean> {
  return new Promise((done) => {
    const client = connect(socket, () => client.write('PING\r\n'));
    client.once('data', (data) => {
      client.destroy();
      done(/^(\+PONG|-NOAUTH)/.test(data.toString()));
    });
    client.once('error', () => done(false));
  });
}

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openBoard } from '../src/addresses.ts';
import { hashOf } from '../src/hash.ts';
import { PROGRAM, type Task, taskId } from '../src/task.ts';
import { workFolder } from './helpers.ts';
import { hasRedis, redisServer } from './redis.ts';

const at = workFolder();
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** A certificate that signs itself, for this machine. */
function certificate(): { readonly cert: string; readonly key: string } {
  mkdirSync(at('redis'), { recursive: true });
  const [cert, key] = [at('redis', 'cert.pem'), at('redis', 'key.pem')];
  const words = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost'];
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  spawnSync('openssl', ['req', ...words, ...names, '-keyout', key, '-out', cert]);
  return { cert, key };
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });
}

describe('a queue with TLS and users of its own', () => {
  it.runIf(hasRedis && hasOpenssl)(
    'lets in who is known, and tells others why not without their secrets',
    async () => {
      const { cert, key } = certificate();
      const port = await freePort();
      const redis = redisServer(at('redis'), {
        ...{ 'tls-port': String(port), 'tls-cert-file': cert, 'tls-key-file': key, 'tls-ca-cert-file': cert },
        ...{ 'tls-auth-clients': 'no', aclfile: usersFile() },
      });
      await redis.start();
      const address = (password: string) => `rediss://worker:${password}@localhost:${port}`;
      const trusting = { env: { PCAE_QUEUE_CA: cert } };
      const board = await openBoard(address('hush'), trusting);
      expect(board.name).toBe(`redis://localhost:${port}`);
      const task: Task = {
        ...{
          program: PROGRAM,
          kind: 'encode',
          manifest: hashOf('m'),
          shards: [[0, 1]],
          inputs: {},
          options: {},
        },
      };
      await board.post([{ id: taskId(task), task }]);
      const held = await board.take('ann', () => 0);
      expect(held?.task).toEqual(task);
      await held?.done();
      expect(await board.news()).toEqual([{ id: taskId(task), kind: 'done' }]);
      await board.close();
      const wrong = openBoard(address('guess'), trusting);
      await expect(wrong).rejects.toThrow(/localhost:\d+ refused the connection: .*WRONGPASS/);
      await expect(wrong).rejects.not.toThrow(/guess/);
      await expect(openBoard(address('hush'))).rejects.toThrow(
        /refused the connection: self.signed certificate/,
      );
      await redis.kill();
    },
  );
});

/** Nobody without a name; the worker may do what the queue needs, to the queue's own keys. */
function usersFile(): string {
  const file = at('redis', 'users.acl');
  const rights = '~pcae:* &* +@all -@admin -@dangerous +info +client';
  writeFileSync(file, `user default off\nuser worker on >hush ${rights}\n`);
  return file;
}

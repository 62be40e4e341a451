import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StudioServer, serveStudio } from '../../../src/node/studio/server.ts';
import { workFolder } from '../../cli/helpers.ts';

const at = workFolder();
let server: StudioServer;
let cookie = '';

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

/** A request as an attacker would write it: any path, any header. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { port } = server;
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let body = '';
      response.on('data', (part) => {
        body += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

const inside = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  ask(path, { cookie, ...headers }, method);

beforeAll(async () => {
  mkdirSync(at('page/assets'), { recursive: true });
  writeFileSync(at('page/index.html'), '<!doctype html><title>studio</title>');
  writeFileSync(at('page/assets/code.js'), 'export {};');
  writeFileSync(at('secret.txt'), 'secret');
  writeFileSync(at('data.csv'), '0,1\n1,0\n');
  symlinkSync(at('data.csv'), at('link.csv'));
  server = await serveStudio({ folder: at('page'), port: 0, files: [at('link.csv')] });
});
afterAll(() => server.close());

describe('the way in', () => {
  it('asks for the address that the terminal shows', async () => {
    for (const path of ['/', '/assets/code.js', '/opened', '/opened/0']) {
      const { status, body } = await ask(path);
      expect(status).toBe(403);
      expect(body).not.toContain('0,1');
    }
    expect((await ask('/?token=guess')).status).toBe(403);
  });

  it('takes that address once, for a cookie that scripts and other sites do not get', async () => {
    const path = new URL(server.address).search;
    const first = await ask(`/${path}`);
    expect(first.status).toBe(303);
    expect(first.headers.location).toBe('/');
    const [set] = first.headers['set-cookie'] as string[];
    expect(set).toMatch(/HttpOnly/);
    expect(set).toMatch(/SameSite=Strict/);
    cookie = set.split(';')[0];
    expect((await ask(`/${path}`)).status).toBe(403);
    expect((await inside('/')).body).toContain('studio');
  });

  it('knows no cookie but its own', async () => {
    const [name] = cookie.split('=');
    for (const wrong of [`${name}=`, `${name}=x`, cookie.slice(0, -1), `other=${cookie.split('=')[1]}`]) {
      expect((await ask('/opened/0', { cookie: wrong })).status).toBe(403);
    }
  });
});

describe('strangers', () => {
  it('are refused by name: DNS rebinding', async () => {
    const { port } = server;
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`]) {
      expect((await inside('/opened/0', { host })).status, host).toBe(421);
    }
    expect((await inside('/opened/0', { host: `localhost:${port}` })).status).toBe(200);
  });

  it('are refused by where they come from', async () => {
    const { port } = server;
    for (const origin of [
      'http://evil.example',
      'null',
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${port + 1}`,
    ])
      expect((await inside('/opened/0', { origin })).status, origin).toBe(403);
    for (const site of ['cross-site', 'same-site'])
      expect((await inside('/opened/0', { 'sec-fetch-site': site })).status, site).toBe(403);
    const own = { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' };
    expect((await inside('/opened/0', own)).body).toBe('0,1\n1,0\n');
  });

  it('write nothing', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])
      expect((await inside('/opened/0', {}, method)).status, method).toBe(405);
  });
});

describe('the disk', () => {
  it('is closed but for the page and what was opened', async () => {
    const paths = [
      ...['/../secret.txt', '/..%2fsecret.txt', '/%2e%2e/secret.txt', '/....//secret.txt', '//secret.txt'],
      ...[
        '/assets/../../secret.txt',
        '/assets/..\\..\\secret.txt',
        '/opened/../../secret.txt',
        '/secret.txt',
      ],
      ...[
        '/opened/1',
        '/opened/-1',
        '/opened/0x0',
        '/opened/0/..',
        '/opened/00000',
        '/etc/passwd',
        '/assets',
      ],
      ...['/index.html%00.js', '/file:///etc/passwd', '/constructor', '/__proto__'],
    ];
    for (const path of paths) {
      const { status, body } = await inside(path);
      expect([400, 404], path).toContain(status);
      expect(body).not.toContain('secret');
    }
  });

  it('is read where it is meant to be', async () => {
    expect(JSON.parse((await inside('/opened')).body)).toEqual([{ name: 'link.csv', size: 8 }]);
    const code = await inside('/assets/code.js?v=1');
    expect(code.headers['content-type']).toContain('text/javascript');
    expect((await inside('/', {}, 'HEAD')).body).toBe('');
  });

  it('refuses folders, and files that are not there', async () => {
    await expect(serveStudio({ folder: at('page'), port: 0, files: [at('page')] })).rejects.toThrow(
      'is not a file',
    );
    await expect(serveStudio({ folder: at('page'), port: 0, files: [at('none')] })).rejects.toThrow(
      'none: there is no such file',
    );
    await expect(serveStudio({ folder: at('none'), port: 0 })).rejects.toThrow('npm run build');
  });
});

describe('answers', () => {
  it('all have the headers that keep others out and let threads in', async () => {
    for (const answer of [
      await inside('/'),
      await ask('/'),
      await inside('/none'),
      await inside('/opened/0'),
    ]) {
      expect(answer.headers['cross-origin-opener-policy']).toBe('same-origin');
      expect(answer.headers['cross-origin-embedder-policy']).toBe('require-corp');
      expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      const policy = answer.headers['content-security-policy'] as string;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe-(eval|inline)'(?<!wasm-unsafe-eval')/);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it('are kept by the browser only if a checksum in their names says what they hold', async () => {
    const kept = async (path: string) => (await inside(path)).headers['cache-control'];
    expect(await kept('/assets/code.js')).toContain('immutable');
    for (const path of ['/', '/opened', '/opened/0']) expect(await kept(path)).toBe('no-store');
  });

  it('survive what is not HTTP', async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write('\0\0nonsense\r\n\r\n'));
      socket.on('data', () => socket.destroy());
      socket.on('error', () => resolve());
      socket.on('close', () => resolve());
    });
    expect((await inside('/')).status).toBe(200);
  });

  it('come from this machine alone', () => {
    expect(new URL(server.address).hostname).toBe('127.0.0.1');
  });
});

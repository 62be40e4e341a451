import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { encode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchFile } from '../src/get/fetch-file.ts';
import { unpackPictures } from '../src/get/unpack-pictures.ts';
import { paper, workFolder } from './helpers.ts';

const at = workFolder();
const content = Buffer.from(Array.from({ length: 100_000 }, (_, k) => (k * 31 + (k >> 7)) & 255));
const sha256 = createHash('sha256').update(content).digest('hex');

let server: Server;
let base = '';
const requests: { url: string; range?: string }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const { range } = request.headers;
    const url = request.url ?? '';
    requests.push({ url, range });
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    if (url === '/missing') response.writeHead(404).end();
    else if (url === '/breaks' && !range) {
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, 40_000));
      // The connection breaks once what was sent has arrived.
      const timer = setInterval(() => {
        if (!existsSync(at('broken.part')) || statSync(at('broken.part')).size < 40_000) return;
        clearInterval(timer);
        response.destroy();
      }, 5);
    } else if (from >= content.length) response.writeHead(416).end();
    else if (range && url !== '/ranges-unknown') {
      response.writeHead(206, { 'content-length': content.length - from }).end(content.subarray(from));
    } else response.writeHead(200, { 'content-length': content.length }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
});

describe('fetching a file', () => {
  it('goes on where it was interrupted, and proves the whole', async () => {
    const path = at('broken');
    const options = { addresses: [`${base}/breaks`], sha256 };
    await expect(fetchFile(path, options)).rejects.toThrow('the same command goes on');
    expect(existsSync(path)).toBe(false);
    const begun = readFileSync(`${path}.part`).length;
    expect(begun).toBe(40_000);
    expect(await fetchFile(path, options)).toBe('fetched');
    expect(requests.at(-1)).toEqual({ url: '/breaks', range: `bytes=${begun}-` });
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(existsSync(`${path}.part`)).toBe(false);
    expect(await fetchFile(path, options)).toBe('there already');
  });

  it('starts over where the server knows no ranges', async () => {
    const path = at('whole');
    writeFileSync(`${path}.part`, content.subarray(0, 1000));
    await fetchFile(path, { addresses: [`${base}/ranges-unknown`], sha256 });
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  it('finishes a part that was complete', async () => {
    const path = at('complete');
    writeFileSync(`${path}.part`, content);
    await fetchFile(path, { addresses: [`${base}/file`], sha256 });
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  it('tries the next address, and keeps nothing that is not the file', async () => {
    const path = at('second');
    await fetchFile(path, { addresses: [`${base}/missing`, `${base}/file`], sha256 });
    expect(existsSync(path)).toBe(true);
    const wrong = at('wrong');
    const expected = { addresses: [`${base}/file`], sha256: '0'.repeat(64) };
    await expect(fetchFile(wrong, expected)).rejects.toThrow(`SHA-256 ${sha256}`);
    expect([existsSync(wrong), existsSync(`${wrong}.part`)]).toEqual([false, false]);
  });

  it('does not take another file of the same name for it', async () => {
    const path = at('other');
    writeFileSync(path, 'something else');
    await expect(fetchFile(path, { addresses: [`${base}/file`], sha256 })).rejects.toThrow('is another file');
    expect(readFileSync(path, 'utf8')).toBe('something else');
  });
});

describe('data get', () => {
  it('says when a file is not what it should be, and where to look', async () => {
    const ran = await paper(['data', 'get', 'mnist', '--from', base, '--folder', at('mnist')]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(`${base}/train-images-idx3-ubyte.gz: sent 100000 bytes`);
    expect(existsSync(`${at('mnist')}/train-images-idx3-ubyte.gz`)).toBe(false);
  });

  it('fetches a file without a known checksum and says so', async () => {
    const folder = at('omniglot');
    const ran = await paper(['data', 'get', 'omniglot', '--from', `${base}/`, '--folder', folder, '--json']);
    expect(ran.json()).toMatchObject({
      files: [{ path: `${folder}/chardata.mat`, sha256, verified: 'none' }],
    });
  });

  it('knows its sets', async () => {
    const ran = await paper(['data', 'get', 'cifar']);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('mnist, caltech101, notmnist, omniglot');
  });
});

describe('unpacking pictures', () => {
  const picture = (grey: number) =>
    encode({ width: 2, height: 2, data: new Uint8Array(4).fill(grey), channels: 1 });

  it('writes the readable ones below the folder, whatever their order', async () => {
    const files: [string, Uint8Array][] = [
      ['set/A/1.png', picture(10)],
      ['set/B/2.png', picture(20)],
      ['set/B/broken.png', new Uint8Array(7)],
      ['set/readme.txt', new Uint8Array(3)],
    ];
    writeFileSync(at('a.tar.gz'), tarGz(files));
    writeFileSync(at('b.tar.gz'), tarGz([...files].reverse()));
    const a = await unpackPictures(at('a.tar.gz'), at('a'), () => undefined);
    const b = await unpackPictures(at('b.tar.gz'), at('b'), () => undefined);
    expect(a).toEqual({ count: 2, broken: 1, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(b.digest).toBe(a.digest);
    expect(readFileSync(at('a/B/2.png')).equals(picture(20))).toBe(true);
    expect(existsSync(at('a/B/broken.png'))).toBe(false);
  });

  it('leaves nothing where the check fails or a name leads out', async () => {
    writeFileSync(at('c.tar.gz'), tarGz([['set/1.png', picture(1)]]));
    const refuse = () => {
      throw new Error('not these');
    };
    await expect(unpackPictures(at('c.tar.gz'), at('c'), refuse)).rejects.toThrow('not these');
    expect([existsSync(at('c')), existsSync(at('c.part'))]).toEqual([false, false]);
    mkdirSync(at('inner'));
    writeFileSync(at('d.tar.gz'), tarGz([['set/../../evil.png', picture(1)]]));
    await expect(unpackPictures(at('d.tar.gz'), at('inner/d'), () => undefined)).rejects.toThrow('leads out');
    expect(existsSync(at('evil.png'))).toBe(false);
  });
});

/** A tar archive of plain files, compressed. */
function tarGz(files: readonly (readonly [string, Uint8Array])[]): Buffer {
  const blocks = files.flatMap(([name, bytes]) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(bytes.length.toString(8).padStart(11, '0'), 124);
    header.write('0', 156);
    const padded = Buffer.alloc(Math.ceil(bytes.length / 512) * 512);
    padded.set(bytes);
    return [header, padded];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

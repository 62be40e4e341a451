import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import { crossEntropy } from '../../../src/math.ts';
import { difference, largest } from '../problems.ts';
import { transpile } from '../transpile.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** What both sides run; it is passed to the page as text, so it uses nothing but its arguments. */
async function work(
  engine: import('../../../src/engine/engine.ts').Engine,
  loss: import('../../../src/math.ts').Loss,
): Promise<number[][]> {
  const [V, H, n] = [50, 7, 41];
  const bits = Uint8Array.from({ length: n * 7 }, (_, i) => (i * i * 7 + (i >> 3) * 131) & 255);
  const block = engine.load({ kind: 'bits', n, V, bits });
  const [W, E, losses, gaps] = [V * H, n * H, n, n].map((length) => engine.floats(length));
  W.write(Float32Array.from({ length: V * H }, (_, i) => (((i * 37) % 101) - 50) / 40));
  E.write(Float32Array.from({ length: n * H }, (_, i) => (((i * 29) % 67) - 33) / 30));
  await engine.measure({ block, shape: { V, H, bias: false }, W, E, loss }, { losses, gaps, radius: 2 });
  return [Array.from(await losses.read()), Array.from(await gaps.read())];
}

let server: Server;
let browser: Browser;

function serve(): Promise<Server> {
  const started = createServer(async ({ url = '/' }, response) => {
    const script = url.endsWith('.js');
    response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html');
    response.end(
      script ? await transpile(url.replace(/^\/src\//, '').replace(/\.js$/, '.ts')) : '<!doctype html>',
    );
  });
  return new Promise((resolve) => started.listen(0, '127.0.0.1', () => resolve(started)));
}

const title = executablePath
  ? 'in Chromium, on its SwiftShader'
  : 'in Chromium (skipped: no browser was found)';

describe.skipIf(!executablePath && !process.env.CI)(title, { timeout: 120_000 }, () => {
  beforeAll(async () => {
    server = await serve();
    browser = await chromium.launch({
      executablePath,
      args: [
        '--no-sandbox',
        '--enable-unsafe-webgpu',
        '--use-webgpu-adapter=swiftshader',
        '--enable-unsafe-swiftshader',
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it('the GPU engine agrees with the reference', async () => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const found = (await page.evaluate(`(async () => {
      const { createGpuEngine } = await import('/src/engine/gpu/engine.js');
      const { crossEntropy } = await import('/src/losses/cross-entropy.js');
      const engine = await createGpuEngine();
      const results = await (${work.toString()})(engine, crossEntropy);
      await engine.close();
      return { name: engine.name, results };
    })()`)) as { name: string; results: number[][] };
    expect(found.name).toMatch(/^gpu \(.*\)$/);
    const expected = await work(referenceEngine(), crossEntropy);
    found.results.forEach((values, k) => {
      expect(difference(values, expected[k], 10 * largest(expected[k]))).toBeLessThan(1e-5);
    });
  });
});

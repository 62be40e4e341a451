import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, enableRelaxedSimd } from '../../src/engine/node/index.ts';
import { crossEntropy } from '../../src/math.ts';
import { transpile } from './transpile.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/**
 * What both sides run: a small problem from whole numbers, solved, summed and polished. It is passed to the
 * page as text, so it uses nothing but its arguments.
 */
async function work(
  engine: import('../../src/engine/engine.ts').Engine,
  loss: import('../../src/math.ts').Loss,
): Promise<number[][]> {
  const [V, H, n] = [150, 17, 301];
  const bytes = Math.ceil(V / 8);
  const bits = Uint8Array.from({ length: n * bytes }, (_, i) => (i * i * 7 + (i >> 3) * 131) & 255);
  const block = engine.load({ kind: 'bits', n, V, bits });
  const W = engine.floats(V * H);
  const E = engine.floats(n * H);
  W.write(Float32Array.from({ length: V * H }, (_, i) => (((i * 37) % 101) - 50) / 40));
  const inverseHessian = engine.floats(H * H);
  for (let h = 0; h < H; h++) inverseHessian.write([0.05], h * (H + 1));
  const sums = { gradient: engine.floats(V * H), curvature: engine.floats(V) };
  const losses = engine.floats(n);
  const point = { block, shape: { V, H, bias: false }, W, E, loss };
  const options = { steps: 6, tolerance: 1e-6, ridge: 0.01, radius: 1, inverseHessian, losses, sums };
  await engine.solve('codes', point, options);
  const read = await Promise.all([losses, E, sums.gradient].map((floats) => floats.read()));
  const solved = read.map((values) => Array.from(values));
  const { losses: polished, gaps } = await engine.polish(point, { steps: 20, tolerance: 1e-4, radius: 1 });
  return [...solved, Array.from(polished), Array.from(gaps)];
}

let server: Server;
let browser: Browser;

/** A page that is cross-origin isolated (or not), and the engine's modules, stripped of their types. */
function serve(): Promise<Server> {
  const started = createServer(async ({ url = '/' }, response) => {
    if (!url.startsWith('/plain')) {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    }
    if (url.endsWith('.js')) {
      response.setHeader('Content-Type', 'text/javascript');
      response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
      response.end(await transpile(url.replace(/^\/src\//, '').replace(/\.js$/, '.ts')));
    } else {
      response.setHeader('Content-Type', 'text/html');
      response.end('<!doctype html><title>engine</title>');
    }
  });
  return new Promise((resolve) => started.listen(0, '127.0.0.1', () => resolve(started)));
}

async function inPage(path: string, relaxed: boolean, threads: number): Promise<Inside> {
  const page = await browser.newPage();
  const { port } = server.address() as AddressInfo;
  await page.goto(`http://127.0.0.1:${port}/${path}`);
  const program = `(async () => {
    const { createWasmEngine } = await import('/src/engine/wasm/engine.js');
    const { crossEntropy } = await import('/src/losses/cross-entropy.js');
    const engine = await createWasmEngine({ threads: ${threads}, relaxed: ${relaxed} });
    const results = await (${work.toString()})(engine, crossEntropy);
    await engine.close();
    return { name: engine.name, threads: engine.threads, isolated: crossOriginIsolated, results };
  })()`;
  const inside = (await page.evaluate(program)) as Inside;
  await page.close();
  return inside;
}

interface Inside {
  readonly name: string;
  readonly threads: number;
  readonly isolated: boolean;
  readonly results: number[][];
}

const title = executablePath ? 'in Chromium' : 'in Chromium (skipped: no browser was found)';

describe.skipIf(!executablePath && !process.env.CI)(title, () => {
  beforeAll(async () => {
    expect(executablePath, 'CI needs a browser: install chromium').toBeDefined();
    enableRelaxedSimd();
    server = await serve();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it.each([false, true])('the same kernels give the same bits as in Node (relaxed: %s)', async (relaxed) => {
    const engine = await createEngine({ threads: 2, relaxed });
    const expected = await work(engine, crossEntropy);
    await engine.close();
    const isolated = await inPage('', relaxed, 2);
    expect(isolated).toMatchObject({ name: engine.name, threads: 2, isolated: true });
    expect(isolated.results).toEqual(expected);
  });

  it('a page that is not cross-origin isolated runs the same kernels on one thread', async () => {
    const engine = await createEngine({ threads: 1, relaxed: false });
    const expected = await work(engine, crossEntropy);
    await engine.close();
    const plain = await inPage('plain', false, 4);
    expect(plain).toMatchObject({ threads: 1, isolated: false });
    expect(plain.results).toEqual(expected);
  });
});

import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { transpile } from './transpile.ts';

export const executablePath = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/** Runs a program in a page at a path of the server, and returns what it comes to. */
type InPage = <T>(program: string, path?: string) => Promise<T>;

/** Tests in Chromium, in pages that can import the engine's sources, stripped of their types. */
export function describeInPages(
  where: string,
  args: readonly string[],
  tests: (inPage: InPage) => void,
): void {
  let server: Server;
  let browser: Browser;
  const title = executablePath ? where : `${where} (skipped: no browser was found)`;
  describe.skipIf(!executablePath && !process.env.CI)(title, { timeout: 120_000 }, () => {
    beforeAll(async () => {
      expect(executablePath, 'CI needs a browser: install chromium').toBeDefined();
      server = await serve();
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
    });
    afterAll(async () => {
      await browser?.close();
      server?.close();
    });
    tests(async <T>(program: string, path = '') => {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`);
      const found = (await page.evaluate(program)) as T;
      await page.close();
      return found;
    });
  });
}

/** Pages are cross-origin isolated, but for those below `plain`. */
function serve(): Promise<Server> {
  const started = createServer(async ({ url = '/' }, response) => {
    if (!url.startsWith('/plain')) {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    }
    const script = url.endsWith('.js');
    response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html');
    if (script) response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    response.end(
      script ? await transpile(url.replace(/^\/src\//, '').replace(/\.js$/, '.ts')) : '<!doctype html>',
    );
  });
  return new Promise((resolve) => started.listen(0, '127.0.0.1', () => resolve(started)));
}

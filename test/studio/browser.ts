import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type StudioOptions, serveStudio } from '../../src/node/studio/server.ts';
import { executablePath } from '../engine/page.ts';
import { PATIENCE } from './hands.ts';

/** The studio as `npm run build` leaves it. */
export const built = join(resolve(import.meta.dirname, '../..'), 'dist/studio');

/** What is missing for tests of a page that was built to a file. */
function lackingFor(file: string, command: string): string {
  if (!executablePath) return ' (skipped: no browser was found)';
  return existsSync(file) ? '' : ` (skipped: run ${command} first)`;
}

/** What a browser is started with: WebGL by a program, as machines without a graphics card have it. */
const SOFTWARE_GL = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

let browser: Browser;
const endings: (() => Promise<unknown>)[] = [];

/**
 * Tests in a real browser; skipped, and said so, where there is none or the page is not built, but for CI.
 * There, a test that fails is tried once more, and the report says so: CI may be a crowded machine, and a
 * browser is many processes.
 */
export function describeInBrowser(
  title: string,
  tests: () => void,
  args: readonly string[] = SOFTWARE_GL,
  { file = join(built, 'index.html'), command = 'npm run build' } = {},
): void {
  const lacking = lackingFor(file, command);
  describe.skipIf(lacking && !process.env.CI)(
    title + lacking,
    { timeout: 240_000, retry: process.env.CI ? 1 : 0 },
    () => {
      beforeAll(async () => {
        expect(lacking, 'CI needs chromium and the built page').toBe('');
        browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
      });
      afterAll(async () => {
        for (const end of endings.splice(0).reverse()) await end();
        await browser?.close();
      });
      tests();
    },
  );
}

export interface Visit {
  readonly page: Page;
  /** What the page said went wrong; a test may empty it. */
  readonly faults: string[];
}

/** Opens the studio as `pcae studio` serves it. */
export async function visit(options: StudioOptions = {}, like: BrowserContextOptions = {}): Promise<Visit> {
  const server = await serveStudio({ folder: built, port: 0, ...options });
  endings.push(() => server.close());
  return visitAddress(server.address, like);
}

export async function visitAddress(address: string, like: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...like });
  endings.push(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(address);
  return { page, faults };
}

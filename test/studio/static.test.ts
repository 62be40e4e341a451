import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { workFolder } from '../cli/helpers.ts';
import { staticHost } from '../static-host.ts';
import { built, describeInBrowser, visitAddress } from './browser.ts';
import { go, learned, openFiles, saved, startLearning } from './hands.ts';
import { plantsCsv } from './tables.ts';

/** First loads may weigh this much, gzipped; what a format needs is loaded with the first file of it. */
const BUDGET = 350_000;

const at = workFolder();
const hosts: Awaited<ReturnType<typeof staticHost>>[] = [];
afterAll(() => {
  for (const host of hosts) host.close();
});

/** Learns a table of one's own beside the digits; gives the codes that were found. */
async function codesOf(page: Page, name: string): Promise<string> {
  // The digits need not be learned to their end, unless they are already.
  await page
    .getByRole('button', { name: 'Pause' })
    .click({ timeout: 2000 })
    .catch(() => undefined);
  await openFiles(page, at('plants.csv'));
  await page.getByRole('button', { name: 'Learn it' }).click();
  await startLearning(page, { H: 3, epochs: 10 });
  await learned(page);
  await go(page, 'Take away');
  return readFileSync(await saved(page, 'Save: Codes', at(name)), 'utf8');
}

describeInBrowser('a static host', () => {
  it('gives the same with threads and without, and a small first load', async () => {
    writeFileSync(at('plants.csv'), plantsCsv(200));
    // A host gives a page a folder of its own.
    const host = await staticHost(built, (path) => [path.replace(/^\/somewhere\//, '') || 'index.html']);
    hosts.push(host);
    const address = `${host.address}/somewhere/`;
    const threaded = await visitAddress(address);
    await threaded.page.getByText('from their codes').waitFor();
    expect(await threaded.page.evaluate('crossOriginIsolated')).toBe(true);
    const size = [...host.given]
      .filter((path) => !path.endsWith('.svg'))
      .reduce((sum, path) => sum + gzipSync(readFileSync(join(built, path))).length, 0);
    expect(host.given.size).toBeGreaterThan(4);
    expect(size).toBeLessThan(BUDGET);
    const codes = await codesOf(threaded.page, 'threads.csv');
    await threaded.page.close();

    const alone = await visitAddress(address, { serviceWorkers: 'block' });
    await alone.page.getByText('one thread').waitFor();
    expect(await alone.page.evaluate('crossOriginIsolated')).toBe(false);
    expect(await codesOf(alone.page, 'alone.csv')).toBe(codes);
  });
});

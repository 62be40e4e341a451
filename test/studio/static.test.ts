import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { built, describeInBrowser, visitAddress } from './browser.ts';
import { staticHost } from './static-host.ts';

/** First loads may weigh this much, gzipped; what a format needs is loaded with the first file of it. */
const BUDGET = 350_000;

const hosts: Awaited<ReturnType<typeof staticHost>>[] = [];
afterAll(() => {
  for (const host of hosts) host.close();
});

async function learnedLoss(page: Page): Promise<string> {
  await page.getByText('from their codes').waitFor();
  await page.getByText('learned', { exact: true }).waitFor({ timeout: 120_000 });
  return (await page.locator('dd').first().textContent()) ?? '';
}

describeInBrowser('a static host', () => {
  it('gives the same with threads and without, and a small first load', { timeout: 240_000 }, async () => {
    const host = await staticHost();
    hosts.push(host);
    const threaded = await visitAddress(host.address);
    await threaded.page.getByText('from their codes').waitFor();
    expect(await threaded.page.evaluate('crossOriginIsolated')).toBe(true);
    const loss = await learnedLoss(threaded.page);
    const size = [...host.asked]
      .filter((path) => !path.endsWith('.svg'))
      .reduce((sum, path) => sum + gzipSync(readFileSync(join(built, path))).length, 0);
    expect(host.asked.size).toBeGreaterThan(4);
    expect(size).toBeLessThan(BUDGET);
    await threaded.page.close();

    const alone = await visitAddress(host.address, { serviceWorkers: 'block' });
    expect(await learnedLoss(alone.page)).toBe(loss);
    expect(await alone.page.evaluate('crossOriginIsolated')).toBe(false);
    await alone.page.getByText('one thread').waitFor();
  });
});

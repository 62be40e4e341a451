import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, visitAddress } from '../studio/browser.ts';
import { site, siteHost } from './host.ts';

/** Pages with programs that run, and how many each has. */
const LIVE = {
  start: 1,
  'concepts/codes': 1,
  'concepts/certificates': 1,
  'concepts/choosing-h': 1,
  'guides/browser': 1,
};
const LOOKED_AT = [
  '',
  'start',
  'guides/',
  'guides/survey',
  'concepts/codes',
  'gallery',
  'cli',
  'api/',
  'benchmarks',
];

describeInBrowser(
  'the site',
  () => {
    let host: Awaited<ReturnType<typeof siteHost>>;
    beforeAll(async () => {
      host = await siteHost();
    });
    afterAll(() => host?.close());

    it.each(Object.entries(LIVE))('runs the program of %s', async (name, count) => {
      const { page, faults } = await visitAddress(`${host.address}/${name}`);
      expect(await page.locator('.live').count()).toBe(count);
      expect(await run(page)).not.toBe('');
      expect(await page.locator('.live .fault').count()).toBe(0);
      expect(faults).toEqual([]);
    });

    it('runs what the reader has changed, draws pictures, shows errors and stops', async () => {
      const { page } = await visitAddress(`${host.address}/start`);
      await page.locator('.live .run').waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      const area = page.locator('.live textarea');
      await area.fill(`${await area.inputValue()}\nconsole.log('changed', [1, 2].length);`);
      expect(await run(page)).toContain('changed 2');
      expect(await page.locator('.live img').count()).toBe(1);

      await area.fill("import { fit } from 'pc-ae';\nawait fit([[0, 2]], { H: 1 });");
      await run(page);
      expect(await page.locator('.live .fault').textContent()).toMatch(/Error/);

      await area.fill('for (;;);');
      await page.locator('.live .run').click();
      await page.getByRole('button', { name: 'Stop' }).click();
      expect(await page.locator('.live .fault').textContent()).toBe('stopped');
    });

    it('finds pages by their words', async () => {
      const { page } = await visitAddress(`${host.address}/`);
      await page.locator('#local-search button').click();
      await page.locator('#localsearch-input').fill('tanimoto');
      await page.locator('#localsearch-list a[href*="guides/fingerprints"]').first().click();
      await page.waitForFunction(() => location.pathname.includes('guides/fingerprints'));
    });

    it.each([
      ['light', 1280],
      ['dark', 390],
    ] as const)('fits a %s window of %i pixels', async (colorScheme, width) => {
      const { page, faults } = await visitAddress(host.address, {
        colorScheme,
        viewport: { width, height: 900 },
      });
      for (const name of LOOKED_AT) {
        await page.goto(`${host.address}/${name}`);
        await page.locator('.VPContent').waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide, name).toBeLessThanOrEqual(width);
        const dark = await page.evaluate(() => document.documentElement.classList.contains('dark'));
        expect(dark, name).toBe(colorScheme === 'dark');
        const broken = await page.$$eval('img', (images) =>
          images.filter((image) => image.complete && image.naturalWidth === 0).map(({ src }) => src),
        );
        expect(broken, name).toEqual([]);
      }
      expect(faults).toEqual([]);
    });
  },
  [],
  { file: join(site, 'index.html'), command: 'npm run docs' },
);

/** Runs the program of a page to its end and gives what it printed. */
async function run(page: Page): Promise<string> {
  const button = page.locator('.live .run').first();
  await button.click();
  await page.locator('.live .result').waitFor();
  await page.waitForFunction(() => document.querySelector('.live .run')?.textContent === 'Run');
  return (await page.locator('.live .result').first().textContent()) ?? '';
}

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { workFolder } from '../cli/helpers.ts';
import { describeInBrowser, visit } from './browser.ts';
import { plantsCsv } from './tables.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const at = workFolder();
/** Views, and what each says once all of it is there. */
const VIEWS = [
  ['Data', '12 columns'],
  ['Learn', 'learned'],
  ['Look', 'Do probabilities come true?'],
  ['Map', 'No rows chosen'],
  ['Play', 'the best code'],
  ['Find', 'Every code was compared'],
  ['Take away', 'What this browser keeps'],
];

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return (await page.evaluate(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`)) as string[];
}

describeInBrowser('everyone', () => {
  it('can use every view: axe finds nothing, light and dark, wide and narrow', async () => {
    writeFileSync(at('plants.csv'), plantsCsv(200));
    const { page, faults } = await visit({ files: [at('plants.csv')] }, { reducedMotion: 'reduce' });
    await page.getByRole('heading', { name: 'plants.csv' }).waitFor();

    // From here on by keyboard alone: to the view, to the size of a code, to the button.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'main');
    await page.getByRole('link', { name: 'Learn' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('spinbutton', { name: 'Size of a code' }).focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('2');
    await page.keyboard.press('Enter');
    await page.getByText('learned', { exact: true }).waitFor();
    // And another beside it, which makes a table of runs.
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '2 numbers (2)' }).waitFor();
    await page.getByText('learned', { exact: true }).waitFor();

    for (const [width, scheme] of [
      [1280, 'light'],
      [420, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      for (const [view, ready] of VIEWS) {
        const link = page.getByRole('navigation').getByRole('link', { name: view, exact: true });
        await link.focus();
        await page.keyboard.press('Enter');
        await page.getByText(ready).first().waitFor();
        await page.locator('progress').waitFor({ state: 'detached' });
        expect(await violations(page), `${view}, ${scheme}, ${width} pixels`).toEqual([]);
        const wide = await page.evaluate('document.documentElement.scrollWidth');
        expect(wide, `${view} is as wide as the screen`).toBeLessThanOrEqual(width);
      }
    }
    expect(faults).toEqual([]);
  });
});

import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { workFolder } from '../cli/helpers.ts';
import { describeInBrowser, visit } from './browser.ts';
import { go, learned, PATIENCE, says, startLearning } from './hands.ts';
import { plantsCsv } from './tables.ts';

const at = workFolder();
/** More epochs than anybody waits for. */
const FOREVER = 1_000_000;

describeInBrowser('runs', () => {
  it('are paused, gone on with and stopped; two are compared; kept ones are deleted', async () => {
    writeFileSync(at('plants.csv'), plantsCsv(200));
    const { page, faults } = await visit({ files: [at('plants.csv')] });
    await page.getByRole('button', { name: 'Learn it' }).click();
    await startLearning(page, { H: 3, epochs: FOREVER });
    const epoch = async () => {
      const text = await page.locator('dl div', { hasText: 'epochs' }).locator('dd').textContent();
      return Number(text?.replaceAll(',', ''));
    };
    await expect.poll(epoch, { timeout: PATIENCE }).toBeGreaterThan(2);

    // A table with gaps has its ridge chosen first: paused by then, there may be no model yet.
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Go on' }).click();
    const shownLoss = page.locator('dl div', { hasText: 'loss per row' }).locator('dd');
    await says(shownLoss, /^\d/);

    // Paused, there is a model to use; going on goes on from there.
    const state = page.getByRole('status').filter({ hasText: /paused|learning|learned/ });
    await page.getByRole('button', { name: 'Pause' }).click();
    await state.filter({ hasText: 'paused: the model of this moment can be used' }).waitFor();
    await page.getByRole('button', { name: 'Look at it' }).waitFor();
    const before = await epoch();
    await page.getByRole('button', { name: 'Go on' }).click();
    await expect.poll(epoch, { timeout: PATIENCE }).toBeGreaterThan(before);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Stop here' }).click();
    await learned(page);

    // A second run stands beside the first: in a table, and in one chart.
    await startLearning(page, { H: 1, epochs: 10 });
    const table = page.locator('section', { has: page.getByRole('heading', { name: 'Runs side by side' }) });
    await expect.poll(() => table.getByText('done', { exact: true }).count(), { timeout: PATIENCE }).toBe(2);
    const loss = (run: number) =>
      table.locator('tbody tr').nth(run).locator('td.number').first().textContent();
    expect(Number(await loss(1)), 'fewer numbers cost more').toBeGreaterThan(Number(await loss(0)));
    const chart = page.locator('figure', { hasText: 'Loss' }).first();
    await chart.locator('figcaption').getByText('loss, 1 number').waitFor();
    await chart.locator('figcaption').getByText('3 numbers').waitFor();
    await table.getByRole('button', { name: '3 numbers', exact: true }).click();
    await page.getByRole('heading', { name: '3 numbers' }).waitFor();

    // One of them is deleted for good, then all that the browser keeps.
    await go(page, 'Take away');
    await page.getByRole('button', { name: 'Delete the model "3 numbers"' }).click();
    await page.getByRole('button', { name: 'Delete the model "1 number"' }).waitFor();
    await page.reload();
    const models = page.getByRole('combobox', { name: 'model' }).getByRole('option');
    await expect.poll(() => models.allTextContents(), { timeout: PATIENCE }).toEqual(['1 number']);
    await page.getByRole('button', { name: 'Delete all of it' }).click();
    await page.getByText('Models and rows kept in this browser were deleted').waitFor();
    await page.reload();
    await page
      .getByRole('heading', { name: 'plants.csv' })
      .or(page.getByText('Learn a model first'))
      .first()
      .waitFor();
    await expect.poll(() => models.count(), { timeout: PATIENCE }).toBe(0);
    expect(faults).toEqual([]);
  });
});

import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { workFolder } from '../cli/helpers.ts';
import { describeInBrowser, visit } from './browser.ts';
import { plantsCsv } from './tables.ts';

const at = workFolder();
const open = (page: Page, name: string, text: string | Uint8Array) => {
  writeFileSync(at(name), text);
  return page.locator('input[type=file]').setInputFiles(at(name));
};

/** Ends workers as a browser does that runs out of memory: without a word. */
async function kill(page: Page, role: string): Promise<number> {
  let killed = 0;
  // The threads of an engine wait for work and would not answer.
  for (const worker of page.workers().filter((one) => !one.url().startsWith('blob:'))) {
    const name = await worker.evaluate('self.name').catch(() => '');
    if (!String(name).startsWith(role)) continue;
    void worker.evaluate('self.close()').catch(() => undefined);
    killed++;
  }
  return killed;
}

describeInBrowser('trouble', () => {
  it('with files is said in sentences, and the page lives on', { timeout: 240_000 }, async () => {
    const { page } = await visit();
    await page.getByText('from their codes').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();

    await open(page, 'broken.parquet', new Uint8Array(300).fill(80));
    await page.getByRole('alert').filter({ hasText: 'broken.parquet' }).waitFor();
    await open(page, 'empty.csv', '');
    await page.getByRole('alert').filter({ hasText: 'is empty' }).waitFor();
    await open(page, 'model.safetensors', 'nonsense');
    await page.getByRole('alert').filter({ hasText: 'model.safetensors' }).waitFor();

    // A table that can be read in several ways asks, and takes the answer.
    await open(page, 'survey.csv', 'who,likes,a\nann,tea,1\nbob,milk,0\ncat,tea,1\ndan,beer,0\n');
    const question = page.getByRole('alert').filter({ hasText: 'How is it meant?' });
    await question.getByRole('button', { name: /its words are categories/ }).click();
    await page.getByRole('heading', { name: 'survey.csv' }).waitFor();
    await page.getByText('4 rows, 4 columns').waitFor();

    // What was read can be read otherwise.
    await page.getByLabel('columns', { exact: true }).fill('a');
    await page.getByLabel('columns', { exact: true }).press('Enter');
    await page.getByText('4 rows, 1 columns').waitFor();
  });

  it('with a worker ends its run, and no other', { timeout: 240_000 }, async () => {
    writeFileSync(at('plants.csv'), plantsCsv(300));
    const { page } = await visit({ files: [at('plants.csv')] });
    await page.getByRole('button', { name: 'Learn it' }).click();
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('Epochs').fill('20');
    await page.getByRole('button', { name: 'Learn', exact: true }).click();
    await page.getByText('learned', { exact: true }).waitFor();

    // The second run learns for ever, and is killed.
    await page.getByLabel('Epochs').fill('1000000');
    await page.getByRole('button', { name: 'Learn another' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.waitForTimeout(300);
    expect(await kill(page, 'run')).toBe(1);
    await page.getByRole('alert').filter({ hasText: 'The worker ended' }).waitFor();
    await page.getByRole('button', { name: '16 numbers' }).first().click();
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByText('this is proven for every row').waitFor();

    // So is the desk; it comes back with all that it had.
    expect(await kill(page, 'desk')).toBe(1);
    await page.getByRole('alert').filter({ hasText: 'It was started again' }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('table.rows tbody tr').first().waitFor();
    await page.getByText('finding codes').waitFor({ state: 'detached' });
  });
});

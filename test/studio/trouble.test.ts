import { rmSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { serveStudio } from '../../src/node/studio/server.ts';
import { workFolder } from '../cli/helpers.ts';
import { built, describeInBrowser, visit, visitAddress } from './browser.ts';
import { go, learned, PATIENCE, startLearning } from './hands.ts';
import { plantsCsv } from './tables.ts';

const at = workFolder();
const open = (page: Page, name: string, text: string | Uint8Array) => {
  writeFileSync(at(name), text);
  return page.locator('input[type=file]').setInputFiles(at(name));
};

/** Ends workers as a browser does that runs out of memory: without a word. */
async function kill(page: Page, role: string): Promise<void> {
  await expect.poll(() => killNow(page, role), { timeout: PATIENCE }).toBe(1);
}

async function killNow(page: Page, role: string): Promise<number> {
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
  it('with a file that is gone when the page opens is said, and other rows are there', async () => {
    writeFileSync(at('gone.csv'), plantsCsv(50));
    writeFileSync(at('here.csv'), plantsCsv(40));
    const server = await serveStudio({ folder: built, port: 0, files: [at('gone.csv'), at('here.csv')] });
    rmSync(at('gone.csv'));
    const { page } = await visitAddress(server.address);
    await page.getByRole('heading', { name: 'here.csv' }).waitFor();
    await page.getByRole('alert').filter({ hasText: 'gone.csv can no longer be read' }).waitFor();
    await page.close();
    await server.close();
  });

  it('with files is said in sentences, and the page lives on', async () => {
    writeFileSync(at('plants.csv'), plantsCsv(50));
    const { page } = await visit({ files: [at('plants.csv')] });
    await page.getByRole('heading', { name: 'plants.csv' }).waitFor();
    const alert = (text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor();

    await open(page, 'broken.parquet', new Uint8Array(300).fill(80));
    await alert('broken.parquet');
    await open(page, 'empty.csv', '');
    await alert('is empty');
    await open(page, 'model.safetensors', 'nonsense');
    await alert('model.safetensors');

    // A small file may stand for more bits than there is memory for.
    const places = Array.from({ length: 3000 }, (_, i) => `${i + 1} ${i + 1}`);
    const head = '%%MatrixMarket matrix coordinate pattern general\n3000 67000000 3000';
    await open(page, 'vast.mtx', `${[head, ...places].join('\n')}\n`);
    await alert('There is not enough memory for this');
    await alert('Try fewer rows');
    await page.getByRole('heading', { name: 'plants.csv' }).waitFor();

    // A table that can be read in several ways asks, and takes the answers, each beside those before.
    await open(page, 'survey.csv', 'who,likes,a\nann,tea,1\nbob,milk,0\ncat,tea,1\ndan,beer,0\n');
    const question = page.getByRole('alert').filter({ hasText: 'How is it meant?' });
    await question.getByRole('button', { name: /columns like it hold categories/ }).click();
    await page.getByRole('heading', { name: 'survey.csv' }).waitFor();
    await page.getByText('4 rows, 4 columns').waitFor();
    const notes = Array.from(
      { length: 30 },
      (_, i) => `${i % 3 ? 'tea' : 'milk'},${i % 5},note ${i},more ${i},1`,
    );
    await open(page, 'notes.csv', ['likes,rating,note,more,a', ...notes].join('\n'));
    await question.getByRole('button', { name: /columns like it hold categories/ }).click();
    for (const column of ['note', 'more'])
      await question
        .filter({ hasText: `'${column}': has a different value in every row` })
        .getByRole('button', { name: /leave the column out/ })
        .click();
    await page.getByRole('heading', { name: 'notes.csv' }).waitFor();
    await page.getByText('30 rows, 8 columns').waitFor();

    // What was read can be read otherwise.
    await page.getByLabel('columns', { exact: true }).fill('a');
    await page.getByLabel('columns', { exact: true }).press('Enter');
    await page.getByText('30 rows, 1 column').waitFor();
  });

  it('with a worker ends its run, and no other', async () => {
    writeFileSync(at('plants.csv'), plantsCsv(300));
    const { page } = await visit({ files: [at('plants.csv')] });
    await page.getByRole('button', { name: 'Learn it' }).click();
    await startLearning(page, { H: 3, epochs: 20 });
    await learned(page);

    // The second run learns for ever, and is killed.
    await startLearning(page, { epochs: 1_000_000 });
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByText(/^Engine: /).waitFor();
    await kill(page, 'run');
    await page.getByRole('alert').filter({ hasText: 'The worker ended' }).waitFor();
    await page.getByRole('button', { name: '3 numbers', exact: true }).click();
    await page.getByRole('heading', { name: '3 numbers', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByText('this is proven for every row').waitFor();
    await page.getByRole('button', { name: 'region 0', exact: true }).waitFor();

    // So is the desk; it comes back with all that it had.
    await kill(page, 'desk');
    await page.getByRole('alert').filter({ hasText: 'It was started again' }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'region 8', exact: true }).waitFor();
  });

  it('with columns of the same name is none', async () => {
    const lines = Array.from({ length: 60 }, (_, i) => [i & 1, i & 1, (i >> 1) & 1].join(','));
    writeFileSync(at('twins.csv'), `${['a,a,b', ...lines].join('\n')}\n`);
    const { page, faults } = await visit({ files: [at('twins.csv')] });
    await page.getByRole('button', { name: 'Learn it' }).click();
    await startLearning(page, { H: 1, epochs: 20 });
    await learned(page);
    for (const view of ['Map', 'Play', 'Find', 'Take away', 'Data', 'Look']) await go(page, view);
    await page.getByRole('heading', { name: 'unit 1' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('with a single row that has a gap is none', async () => {
    writeFileSync(at('single.csv'), 'a,b,c\n0,,1\n');
    const { page } = await visit({ files: [at('single.csv')] });
    await page.getByRole('button', { name: 'Learn it' }).click();
    await startLearning(page, { H: 1, epochs: 5 });
    await learned(page);
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByText('Measured on the only row at its best code').waitFor();
  });

  it('with a view is said in its place, and the others go on', async () => {
    writeFileSync(at('plants.csv'), plantsCsv(50));
    const { page, faults } = await visit({ files: [at('plants.csv')] });
    const body = 'export default () => { throw new Error("no luck"); };';
    await page.route(/Find-[^/]*\.js/, (route) => route.fulfill({ contentType: 'text/javascript', body }));
    await go(page, 'Find');
    await page.getByRole('alert').filter({ hasText: 'This view failed: no luck' }).waitFor();
    expect(faults.splice(0).join()).toContain('no luck');
    await go(page, 'Data');
    await page.getByRole('heading', { name: 'plants.csv' }).waitFor();
  });
});

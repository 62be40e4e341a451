import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { enableRelaxedSimd } from '../../src/engine/node/index.ts';
import { pcae, workFolder } from '../cli/helpers.ts';
import { describeInBrowser, visit } from './browser.ts';
import { digitFiles, plantsCsv } from './tables.ts';

// As the command line does, and the browser: the same kernels give the same bits.
enableRelaxedSimd();

const at = workFolder();
const open = (page: Page, ...files: string[]) => page.locator('input[type=file]').setInputFiles(files);
const go = (page: Page, view: string) =>
  page.getByRole('navigation').getByRole('link', { name: view, exact: true }).click();

async function saved(page: Page, button: string, path: string): Promise<string> {
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: button, exact: true }).click();
  await (await waiting).saveAs(path);
  return path;
}

describeInBrowser('a newcomer with a table', () => {
  it('learns it, sees what units stand for, fills a gap and takes the model away', {
    timeout: 240_000,
  }, async () => {
    const data = at('plants.csv');
    writeFileSync(data, plantsCsv(400));
    const { page, faults } = await visit({ files: [data] });

    // The table is there at once, read as it is meant: names of rows and columns, gaps.
    await page.getByRole('heading', { name: 'plants.csv' }).waitFor();
    await page.getByText('400 rows, 12 columns').waitFor();
    await page.getByRole('button', { name: 'Learn it' }).click();
    await page.getByRole('spinbutton', { name: 'Size of a code' }).fill('3');
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('Epochs').fill('40');
    await page.getByRole('button', { name: 'Learn', exact: true }).click();
    await page.getByText('learned', { exact: true }).waitFor();

    // A unit is the plants that it switches on: those of one climate together.
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByText('What the units stand for').waitFor();
    await page.getByText('this is proven for every row').waitFor();
    const units = await page.locator('.units li').allTextContents();
    const together = [/cactus|agave|yucca|aloe/g, /fir|moss|birch|lichen/g, /palm|orchid|fern|fig/g];
    expect(units).toHaveLength(3);
    expect(units.some((text) => together.some((climate) => (text.match(climate) ?? []).length >= 3))).toBe(
      true,
    );
    await page.getByText('The mean loss of rows from this source is at most').waitFor();

    // A row without its palm: the code follows, and the gap is filled with a probability.
    await page.locator('table.rows button').first().click();
    await page.getByText('the best code').waitFor();
    await page.getByRole('button', { name: 'palm: ?, hidden', exact: true }).click();
    await page.getByText('hidden', { exact: false }).first().waitFor();
    const bar = page
      .locator('tr', { has: page.getByRole('rowheader', { name: 'palm' }) })
      .locator('td.number');
    await page.waitForFunction(() => document.querySelector('td.guess') !== null);
    expect(await bar.textContent()).toMatch(/^\d+(\.\d+)?%$/);
    const before = await page.locator('.loss').textContent();
    await page.getByRole('slider', { name: 'unit 1' }).press('ArrowRight');
    await page.getByText('above the best').waitFor();
    await expect.poll(() => page.locator('.loss').textContent(), { timeout: 30_000 }).not.toBe(before);

    // The model is the command line's too, to the last bit.
    await go(page, 'Take away');
    const model = await saved(page, 'Save: The model', at('plants.safetensors'));
    const evaluated = await pcae(['eval', model, data, '--json']);
    expect(evaluated.code, evaluated.err).toBe(0);
    await go(page, 'Look');
    const loss = (evaluated.json() as unknown as { loss: number }).loss;
    await expect
      .poll(() => page.locator('data').first().getAttribute('value'), { timeout: 30_000 })
      .toBe(String(loss));

    // So is what the command line would have learned.
    await go(page, 'Learn');
    const line = (await page.getByRole('group', { name: 'command line' }).textContent()) ?? '';
    const words = line
      .replace('plants.csv', data)
      .replace('model.safetensors', at('cli.safetensors'))
      .split(' ');
    const trained = await pcae(words.slice(1));
    expect(trained.code, trained.err).toBe(0);
    const again = await pcae(['eval', at('cli.safetensors'), data, '--json']);
    expect((again.json() as unknown as { loss: number }).loss).toBe(loss);

    // A reload loses nothing, and the model can be dropped in again.
    await page.reload();
    await page.getByText('learned', { exact: true }).waitFor();
    await open(page, model);
    await page.getByText('What the units stand for').waitFor();
    expect(faults).toEqual([]);
  });

  it('learns pictures as bits, draws one, maps them, finds neighbours', { timeout: 240_000 }, async () => {
    const { images, labels } = digitFiles(300);
    writeFileSync(at('train-images-idx3-ubyte.gz'), images);
    writeFileSync(at('train-labels-idx1-ubyte.gz'), labels);
    const { page, faults } = await visit({ files: [at('train-images-idx3-ubyte.gz')] });
    await page.getByText('300 rows, 784 columns').waitFor();
    await open(page, at('train-labels-idx1-ubyte.gz'));
    await page.getByText('Labels of train-labels-idx1-ubyte.gz were added').waitFor();
    await go(page, 'Learn');
    await page.getByRole('spinbutton', { name: 'Size of a code' }).fill('8');
    await page.getByRole('radio', { name: /^Bits/ }).check();
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('Epochs').fill('6');
    await page.getByRole('button', { name: 'Learn', exact: true }).click();
    await page.getByText('learned', { exact: true }).waitFor();

    await go(page, 'Play');
    await page.getByText('the best code').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    const switches = () =>
      page.getByRole('switch').evaluateAll((all) => all.map((one) => one.ariaChecked).join());
    const empty = await switches();
    const box = (await page.locator('.editor').boundingBox())!;
    await page.mouse.move(box.x + 130, box.y + 50);
    await page.mouse.down();
    for (let y = 50; y <= 210; y += 20) await page.mouse.move(box.x + 130, box.y + y);
    await page.mouse.up();
    await page.waitForFunction(
      (old) =>
        Array.from(document.querySelectorAll('[role=switch]'), (one) =>
          one.getAttribute('aria-checked'),
        ).join() !== old,
      empty,
    );
    await page.getByRole('switch').first().click();
    await page.getByText('above the best').waitFor();

    await go(page, 'Map');
    await page.locator('.map canvas').waitFor();
    await page.getByRole('button', { name: 'UMAP' }).click();
    await page.locator('progress').waitFor({ state: 'detached' });
    const map = page.getByRole('application');
    await map.press('s');
    await page.getByText('300 rows chosen').waitFor();
    const chosen = await saved(page, 'Save them as CSV', at('chosen.csv'));
    const facts = (await pcae(['info', chosen, '--json'])).json() as unknown as { n: number };
    expect(facts.n).toBe(300);

    await go(page, 'Find');
    await page.getByText('Every code was compared').waitFor();
    await expect.poll(() => page.getByText(/\d of 8 bits differ/).count(), { timeout: 30_000 }).toBe(12);
    expect(faults).toEqual([]);
  });
});

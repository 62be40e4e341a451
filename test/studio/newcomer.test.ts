import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { enableRelaxedSimd } from '../../src/engine/node/index.ts';
import { pcae, workFolder } from '../cli/helpers.ts';
import { describeInBrowser, visit } from './browser.ts';
import {
  changes,
  commandLine,
  followed,
  go,
  learned,
  openFiles,
  PATIENCE,
  saved,
  says,
  startLearning,
} from './hands.ts';
import { digitFiles, plantsCsv } from './tables.ts';

// As the command line does, and the browser: the same kernels give the same bits.
enableRelaxedSimd();

const at = workFolder();

describeInBrowser('a newcomer with a table', () => {
  it('learns it, sees what units stand for, fills a gap and takes the model away', async () => {
    const data = at('plants.csv');
    writeFileSync(data, plantsCsv(400));
    const { page, faults } = await visit({ files: [data] });

    // The table is there at once, read as it is meant: names of rows and columns, gaps.
    await page.getByRole('heading', { name: 'plants.csv' }).waitFor();
    await page.getByText('400 rows, 12 columns').waitFor();
    await page.getByRole('button', { name: 'Learn it' }).click();
    await startLearning(page, { H: 3, epochs: 40 });
    await learned(page);

    // A unit is the plants that it switches on: those of one climate together.
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByText('What the units stand for').waitFor();
    await page.getByText('this is proven for every row').waitFor();
    await expect.poll(() => page.locator('.units li').count(), { timeout: PATIENCE }).toBe(3);
    const units = await page.locator('.units li').allTextContents();
    const together = [/cactus|agave|yucca|aloe/g, /fir|moss|birch|lichen/g, /palm|orchid|fern|fig/g];
    expect(units.some((text) => together.some((climate) => (text.match(climate) ?? []).length >= 3))).toBe(
      true,
    );
    await page.getByText('The mean loss of rows from this source is at most').waitFor();

    // A row without its palm: the code follows, and the gap is filled with a probability.
    await page.locator('table.rows button').first().click();
    await page.getByText('the best code').waitFor();
    const hide = page.getByRole('button', { name: 'palm: ?, hidden', exact: true });
    await hide.click();
    await page.getByText(/\d hidden/).waitFor();
    await followed(page);
    const bar = page
      .locator('tr', { has: page.getByRole('rowheader', { name: 'palm' }) })
      .locator('td.number');
    await page.locator('td.guess').first().waitFor();
    await says(bar, /^\d+(\.\d+)?%$/);
    const loss = page.locator('.loss');
    const before = await loss.textContent();
    await page.getByRole('slider', { name: 'unit 1' }).press('ArrowRight');
    await page.getByText('above the best').waitFor();
    await changes(loss, before);
    await followed(page);
    expect(await cutOff(page, '−8.1e−4'), 'small numbers of a code are shown whole').toBeLessThanOrEqual(0);

    // A walk to another row: at its end the code is that of the other row, and the way back leads back.
    await page.getByRole('button', { name: 'As it was' }).click();
    await expect.poll(() => hide.getAttribute('aria-pressed'), { timeout: PATIENCE }).toBe('false');
    await followed(page);
    await page.getByText('the best code').waitFor();
    const own = await loss.textContent();
    await page.getByRole('spinbutton', { name: 'walk to row' }).fill('7');
    const way = page.getByRole('slider', { name: 'Share of the way to the other row' });
    await way.fill('1');
    await page.getByText('above the best').waitFor();
    await changes(loss, own);
    await way.fill('0');
    await page.getByText('the best code').waitFor();
    await says(loss, own!);

    // The model is the command line's too, to the last bit.
    await go(page, 'Take away');
    const model = await saved(page, 'Save: The model', at('plants.safetensors'));
    const evaluated = await pcae(['eval', model, data, '--json']);
    expect(evaluated.code, evaluated.err).toBe(0);
    await go(page, 'Look');
    const measured = (evaluated.json() as unknown as { loss: number }).loss;
    await expect
      .poll(() => page.locator('data').first().getAttribute('value'), { timeout: PATIENCE })
      .toBe(String(measured));

    // So is what the command line would have learned.
    await go(page, 'Learn');
    const names: Record<string, string> = {
      'plants.csv': data,
      'model.safetensors': at('cli.safetensors'),
    };
    const trained = await pcae((await commandLine(page)).map((word) => names[word] ?? word));
    expect(trained.code, trained.err).toBe(0);
    const again = await pcae(['eval', at('cli.safetensors'), data, '--json']);
    expect((again.json() as unknown as { loss: number }).loss).toBe(measured);

    // A reload loses nothing, and the model can be dropped in again.
    await page.reload();
    await learned(page);
    await openFiles(page, model);
    await page.getByText('What the units stand for').waitFor();
    expect(faults).toEqual([]);
  });

  it('learns pictures as bits, draws one, maps them, finds neighbours', async () => {
    const { images, labels } = digitFiles(300);
    writeFileSync(at('train-images-idx3-ubyte.gz'), images);
    writeFileSync(at('train-labels-idx1-ubyte.gz'), labels);
    const { page, faults } = await visit({ files: [at('train-images-idx3-ubyte.gz')] });
    await page.getByText('300 rows, 784 columns').waitFor();
    await openFiles(page, at('train-labels-idx1-ubyte.gz'));
    await page.getByText('Labels of train-labels-idx1-ubyte.gz were added').waitFor();
    await go(page, 'Learn');
    await startLearning(page, { H: 8, bits: true, epochs: 6 });
    await learned(page);

    await go(page, 'Play');
    await page.getByText('the best code').waitFor();
    const switches = () =>
      page.getByRole('switch').evaluateAll((all) => all.map((one) => one.ariaChecked).join());
    const loss = page.locator('.loss');
    const given = await loss.textContent();
    await page.getByRole('button', { name: 'Clear' }).click();
    await changes(loss, given);
    const [empty, cheap] = [await switches(), await loss.textContent()];
    const box = (await page.locator('.editor').boundingBox())!;
    await page.mouse.move(box.x + 130, box.y + 50);
    await page.mouse.down();
    for (let y = 50; y <= 210; y += 20) await page.mouse.move(box.x + 130, box.y + y);
    await page.mouse.up();
    await changes(loss, cheap);
    await expect.poll(switches, { timeout: PATIENCE }).not.toBe(empty);
    await followed(page);
    await page.getByRole('switch').first().click();
    await page.getByText('above the best').waitFor();

    await go(page, 'Map');
    await page.locator('.map canvas').waitFor();
    await page.getByRole('button', { name: 'UMAP' }).click();
    await page.getByText('UMAP of all 300 rows').waitFor();
    const map = page.getByRole('application');
    await map.press('s');
    await page.getByText('300 rows chosen').waitFor();
    const chosen = await saved(page, 'Save them as CSV', at('chosen.csv'));
    const facts = (await pcae(['info', chosen, '--json'])).json() as unknown as { n: number };
    expect(facts.n).toBe(300);

    await go(page, 'Find');
    await page.getByText('whose codes make this row most likely').waitFor();
    const apart = page.getByText(/\d of 8 bits differ/);
    await expect.poll(() => apart.count(), { timeout: PATIENCE }).toBe(12);
    await page.getByRole('button', { name: 'Differing bits' }).click();
    await page.getByText('whose codes make this row most likely').waitFor({ state: 'detached' });
    await expect.poll(() => apart.count(), { timeout: PATIENCE }).toBe(12);
    const bitsApart = (await apart.allTextContents()).map((text) => Number.parseInt(text, 10));
    expect(bitsApart).toEqual([...bitsApart].sort((a, b) => a - b));
    expect(faults).toEqual([]);
  });

  it('learns a narrow table for a map at first, and is told of it in one number as well', async () => {
    const rows = plantsCsv(100).trim().split('\n');
    const narrow = rows.map((line) => line.split(',').slice(0, 7).join(','));
    writeFileSync(at('narrow.csv'), `${narrow.join('\n')}\n`);
    const { page, faults } = await visit({ files: [at('narrow.csv')] });
    await page.getByText('100 rows, 6 columns').waitFor();
    await page.getByRole('button', { name: 'Learn it' }).click();
    const size = page.getByRole('spinbutton', { name: 'Size of a code' });
    await expect.poll(() => size.inputValue(), { timeout: PATIENCE }).toBe('2');
    // Whoever empties the field to type another number finds it empty, and too large a number is told at
    // once.
    await size.press('Control+A');
    await size.press('Backspace');
    await size.pressSequentially('99999');
    await expect.poll(() => size.inputValue(), { timeout: PATIENCE }).toBe('4096');
    await page.getByText('6 columns become 4096 numbers').waitFor();
    expect(await commandLine(page)).toContain('4096');
    await startLearning(page, { H: 1, epochs: 5 });
    await learned(page);
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByRole('heading', { name: 'How well 1 number describes a row' }).waitFor();
    expect(faults).toEqual([]);
  });
});

/** By how many pixels a number of a code would be cut off beside its slider. */
function cutOff(page: Page, number: string): Promise<number> {
  return page
    .locator('.code li')
    .first()
    .evaluate((line, shown) => {
      const other = line.cloneNode(true) as typeof line;
      const value = other.querySelector('.value')!;
      value.textContent = shown;
      line.after(other);
      const missing = value.scrollWidth - value.clientWidth;
      other.remove();
      return missing;
    }, number);
}

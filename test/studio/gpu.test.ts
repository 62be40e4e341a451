import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { workFolder } from '../cli/helpers.ts';
import { describeInBrowser, visit } from './browser.ts';
import { learned, says, startLearning } from './hands.ts';
import { plantsCsv } from './tables.ts';

const at = workFolder();

describeInBrowser('a graphics card', () => {
  it('is named, learned on when chosen, and never chosen by itself where it is a program', async () => {
    writeFileSync(at('plants.csv'), plantsCsv(60));
    const { page, faults } = await visit({ files: [at('plants.csv')] });
    await page.getByRole('button', { name: 'Learn it' }).click();
    const engine = page.getByLabel('Engine');
    await says(engine.locator('option[value=gpu]'), /^GPU: .*swiftshader, software$/i);
    await says(engine.locator('option[value=auto]'), /^automatic: \d+ threads?$/);

    await engine.selectOption('gpu');
    await page.getByText('threads are faster').waitFor();
    await startLearning(page, { H: 2, epochs: 2 });
    await says(page.getByText(/^Engine: /), /^Engine: gpu \(.*swiftshader.*\)$/i);
    await learned(page);
    await page.getByText('--engine gpu').waitFor();
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByText('this is proven for every row').waitFor();

    // What the card does not do is said before it is tried.
    await page.getByRole('link', { name: 'Learn' }).click();
    await page.locator('summary', { hasText: /^More$/ }).click();
    await page.getByLabel('Other kinds of codes').selectOption('simplex');
    await page.getByText('The GPU does not learn this kind of code or cost.').waitFor();
    expect(await engine.locator('option[value=gpu]').isDisabled()).toBe(true);
    expect(faults).toEqual([]);
  });
}, ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-unsafe-swiftshader']);

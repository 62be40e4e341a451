import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { workFolder } from '../cli/helpers.ts';
import { describeInBrowser, visit } from './browser.ts';
import { go, learned, startLearning } from './hands.ts';
import { plantsCsv } from './tables.ts';

const at = workFolder();

describeInBrowser('a browser without WebGL', () => {
  it('says so, and draws the same map on a plain canvas', async () => {
    writeFileSync(at('plants.csv'), plantsCsv(100));
    const { page, faults } = await visit({ files: [at('plants.csv')] });
    await page.getByRole('button', { name: 'Learn it' }).click();
    await startLearning(page, { H: 2, epochs: 5 });
    await learned(page);
    await go(page, 'Map');
    await page.getByText('This browser has no WebGL').waitFor();
    // Points are there: some of the canvas is not empty.
    await page.waitForFunction(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.map canvas');
      const drawn = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height);
      return drawn?.data.some((x) => x > 0);
    });
    await page.getByRole('application').press('s');
    await page.getByText('100 rows chosen').waitFor();
    expect(faults).toEqual([]);
  });
}, ['--disable-3d-apis']);

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { enableRelaxedSimd } from '../../src/engine/node/index.ts';
import { pcae, workFolder } from '../cli/helpers.ts';
import { describeInBrowser, visit } from './browser.ts';
import { commandLine, followed, go, learned, openFiles, saved, startLearning } from './hands.ts';
import { plantsCsv } from './tables.ts';

// As the command line does, and the browser: the same kernels give the same bits.
enableRelaxedSimd();

const at = workFolder();
/** What can be saved, and the file that its command line writes, the same byte for byte. */
const THINGS = [
  { title: 'Codes', file: 'codes.csv' },
  { title: 'Reconstructions', file: 'reconstructions.csv' },
  { title: 'The table, filled in', file: 'filled.csv' },
  { title: 'The rows', file: 'rows.csv' },
  { title: 'The decoder as ONNX', file: 'decoder.onnx' },
  { title: 'The encoder as ONNX', file: 'encoder.onnx' },
];
const FIGURES = ['Learning, as a figure', 'Units, as a figure', 'Reconstructions, as a figure'];

describeInBrowser('what is taken away', () => {
  it('is what the line beside it makes', async () => {
    writeFileSync(at('plants.csv'), plantsCsv(120));
    const { page, faults } = await visit({ files: [at('plants.csv')] });
    await page.getByRole('button', { name: 'Learn it' }).click();
    await startLearning(page, { H: 2, epochs: 10 });
    await learned(page);
    await go(page, 'Take away');
    await saved(page, 'Save: The model', at('model.safetensors'));
    const card = (title: string) =>
      page.locator('li.card', { has: page.getByRole('heading', { name: title, exact: true }) });

    for (const { title, file } of THINGS) {
      const path = await saved(page, `Save: ${title}`, at(`page.${file}`));
      const words = (await commandLine(card(title))).map((word) =>
        ['plants.csv', 'model.safetensors', file].includes(word) ? at(word) : word,
      );
      const made = await pcae(words);
      expect(made.code, `${words.join(' ')}: ${made.err}`).toBe(0);
      expect(readFileSync(path).equals(readFileSync(at(file))), `${title} as ${words.join(' ')}`).toBe(true);
    }

    const figures: string[] = [];
    for (const title of FIGURES)
      figures.push(readFileSync(await saved(page, `Save: ${title}`, at('figure.svg')), 'utf8'));
    const report = readFileSync(await saved(page, 'Save: The report', at('page.html')), 'utf8');
    expect(report).toContain('A model of plants.csv');
    expect(faults).toEqual([]);

    const wellFormed = (text: string, type: string) =>
      page.evaluate(
        ([given, kind]) => {
          const read = new DOMParser().parseFromString(given, kind as DOMParserSupportedType);
          return read.querySelector('parsererror') === null && read.documentElement.childElementCount > 0;
        },
        [text, type] as const,
      );
    for (const figure of figures)
      expect(await wellFormed(figure, 'image/svg+xml'), figure.slice(0, 80)).toBe(true);
    expect(await wellFormed(report, 'text/html')).toBe(true);
  });

  it('is also what the line makes where columns are categories: their shares add up to one', async () => {
    const lines = Array.from({ length: 120 }, (_, i) =>
      i % 2 ? `train,tea,${i % 5 ? 'yes' : 'no'}` : `car,${i % 3 ? 'coffee' : 'water'},no`,
    );
    writeFileSync(at('people.csv'), ['travel,drink,reads', ...lines].join('\n'));
    const { page, faults } = await visit();
    await go(page, 'Data');
    await openFiles(page, at('people.csv'));
    await page.getByRole('button', { name: /columns like it hold categories/ }).click();
    await page.getByText('120 rows, 6 columns').waitFor();
    await page.getByRole('button', { name: 'Learn it' }).click();
    await startLearning(page, { H: 1, epochs: 10 });
    await learned(page);
    await go(page, 'Take away');
    await saved(page, 'Save: The model', at('people.safetensors'));
    const written = await saved(page, 'Save: Reconstructions', at('people.page.csv'));
    const line = [
      'reconstruct',
      at('people.safetensors'),
      at('people.csv'),
      '--categorical',
      '-o',
      at('line.csv'),
    ];
    expect((await pcae(line)).err).toBe('');
    const text = readFileSync(written, 'utf8');
    expect(text).toBe(readFileSync(at('line.csv'), 'utf8'));
    const [car, train] = text.split('\n')[1].split(',').map(Number);
    expect(car + train).toBeCloseTo(1, 5);

    // A model that comes from a file has no line that learns it, as nobody knows here how that was done.
    const opened = await visit({ files: [at('people.safetensors')] });
    await go(opened.page, 'Take away');
    const linesOf = (title: string) =>
      opened.page
        .locator('li.card', { has: opened.page.getByRole('heading', { name: title, exact: true }) })
        .getByRole('group', { name: 'command line' })
        .count();
    // The view has its heading before the model has been read.
    await opened.page.getByRole('heading', { name: 'The decoder as ONNX' }).waitFor();
    expect(await linesOf('The decoder as ONNX')).toBe(1);
    expect(await linesOf('The model')).toBe(0);

    // The page shows the same numbers.
    await go(page, 'Play');
    await followed(page);
    const shown = await page.locator('td.number').allTextContents();
    expect(shown.slice(0, 2)).toEqual([car, train].map((p) => `${Math.round(100 * p)}%`));
    expect(faults).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { fit } from '../../src/model/fit.ts';
import { modelReport } from '../../src/report/model-report.ts';
import { asRows } from '../../src/rows/input.ts';
import type { Rows } from '../../src/rows/rows.ts';
import type { FitOptions } from '../../src/training/options.ts';
import { patterns } from '../cli/helpers.ts';
import { parseXml } from '../figures/xml.ts';

const engine = referenceEngine();
const rows = asRows({ data: Uint8Array.from(patterns(60, 12).flat()), n: 60, V: 12 });
const pageOf = async (H: number, examples: Rows = rows, options: Partial<FitOptions> = {}) => {
  const model = await fit(rows, { H, epochs: 2, engine, ...options });
  return modelReport(model, examples, { title: 'A model', engine });
};
const figures = (page: string) =>
  [...page.matchAll(/role="img" aria-label="([^"]*)"/g)].map((match) => match[1]);

describe('the report of a model', () => {
  it('is made of the figures', async () => {
    const page = await pageOf(3);
    expect(figures(page)).toEqual([
      'Originals above, what their codes decode to below',
      'True bits against decoded probabilities',
      'All 3 hidden units',
      'Loss and slack during the fit',
      'Where the numbers of the codes lie',
    ]);
    expect(page).toContain('The first 20 of 60 examples.');
    const style = /<style>[^<]*<\/style>/g;
    const xml = page.replace('<!doctype html>\n', '').replace(/<meta ([^>]*)>/g, '<meta $1/>');
    expect(() => parseXml(xml.replace(style, '').trim())).not.toThrow();
  });

  it('shows how sparse the weights are if they were to be sparse', async () => {
    const l1 = Array.from({ length: 12 }, (_, v) => (v < 6 ? 0 : 0.01));
    const chosen = Uint8Array.from({ length: 36 }, (_, i) => i % 2);
    for (const options of [{ l1: 0.01 }, { l1 }, { chosen }])
      expect(figures(await pageOf(3, rows, options))).toContain('Sparsity of W');
  });

  it('says what colours stand for, whatever those of the page are', async () => {
    const page = await pageOf(3);
    expect(page).toContain('It switches on what has the colour of the text');
    expect(page).not.toContain('Missing entries');
    const gaps = asRows({
      data: Float32Array.from(patterns(9, 12).flat(), (x, k) => (k % 7 ? x : Number.NaN)),
      n: 9,
      V: 12,
      missing: Number.NaN,
    });
    expect(await pageOf(3, gaps)).toContain('Missing entries are orange.');
  });

  it('has a map where there are two units', async () => {
    expect(figures(await pageOf(2))).toContain('Map of the examples');
  });
});

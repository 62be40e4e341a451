// Baskets as lines `basket,item`: the units are kinds of shopping, and two numbers make a map of the baskets.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { map2dFigure } from 'pc-ae/figures';
import { fit, openSource, strongestFeatures } from 'pc-ae/node';
import { collect, entry } from 'pc-ae/rows';
import { writeSamples } from './samples/make.mjs';

const folder = await mkdtemp(join(tmpdir(), 'pcae-'));
try {
  await writeSamples(folder, ['baskets']);
  const source = await openSource(join(folder, 'baskets.csv'), { layout: 'long', header: true });
  const rows = await collect(source);
  console.log(`${rows.n} baskets of ${rows.V} items`);
  const model = await fit(rows, { H: 4, ridge: 0.02, encoding: 'nonnegative' });
  for (const { unit, on } of strongestFeatures(model, 4))
    console.log(`unit ${unit}: ${on.map(({ column }) => column).join(', ')}`);

  const signs = ['eggs', 'pasta', 'beer', 'nappies'].map((item) => source.columns.indexOf(item));
  const plane = await fit(rows, { H: 2, ridge: 0.02 });
  const picture = map2dFigure({
    title: '500 baskets by codes of two numbers',
    points: await plane.transform(rows),
    classes: Array.from({ length: rows.n }, (_, i) => signs.findIndex((v) => entry(rows, i, v) > 0) + 1),
    names: ['none of these', 'with eggs', 'with pasta', 'with beer', 'with nappies'],
    ranks: true,
  });
  if (process.argv[2]) await writeFile(process.argv[2], picture);
  const base = 20 * Math.LN2;
  if (!(model.training.loss < 0.5 * base)) throw new Error('the kinds of shopping were not found');
} finally {
  await rm(folder, { recursive: true });
}

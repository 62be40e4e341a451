// A table of words with gaps and with weights: categories become groups of bits, and missing words are filled
// in.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reconstructionFigure } from 'pc-ae/figures';
import { fit, impute, openSource } from 'pc-ae/node';
import { categoryOf, collect, entry } from 'pc-ae/rows';

// Three kinds of visitors; a survey that asked each of the second kind twice as often as it should have.
const kinds = [
  { transport: 'train', drink: 'tea', stay: 'hostel', alone: 1 },
  { transport: 'car', drink: 'coffee', stay: 'hotel', alone: 0 },
  { transport: 'bicycle', drink: 'water', stay: 'tent', alone: 1 },
];
const people = Array.from({ length: 240 }, (_, i) => ({
  kind: [0, 1, 1, 2][i % 4],
  ...kinds[[0, 1, 1, 2][i % 4]],
}));
const names = Object.keys(kinds[0]);
const folder = await mkdtemp(join(tmpdir(), 'pcae-'));
try {
  const path = join(folder, 'visitors.csv');
  const lines = people.map((person, i) =>
    names.map((name, v) => ((i + 3 * v) % 7 === 0 ? '' : person[name])).join(','),
  );
  await writeFile(path, `${names.join(',')}\n${lines.join('\n')}\n`);

  const source = await openSource(path, { categorical: true });
  console.log(`${source.V} columns: ${source.columns.join(', ')}`);
  const rowWeights = people.map(({ kind }) => (kind === 1 ? 0.5 : 1));
  const model = await fit(source, { H: 3, epochs: 60, rowWeights });
  const filled = await impute(model, await collect(source));
  let [right, gaps] = [0, 0];
  people.forEach((person, i) => {
    for (const group of model.groups) {
      if ((i + 3 * names.indexOf(group.name)) % 7 !== 0) continue;
      gaps++;
      if (categoryOf(filled, i, group) === person[group.name]) right++;
    }
  });
  const known = await collect(source);
  const values = (rows) =>
    Array.from({ length: 8 * model.V }, (_, k) => entry(rows, Math.floor(k / model.V), k % model.V));
  const picture = reconstructionFigure({
    title: 'Words as groups of bits, with gaps, and filled in',
    rows: [
      { label: 'known', values: values(known) },
      { label: 'filled in', values: values(filled) },
    ],
    V: model.V,
  });
  if (process.argv[2]) await writeFile(process.argv[2], picture);
  console.log(`${right} of ${gaps} missing words filled in as they were`);
  if (right < 0.9 * gaps) throw new Error('too many wrong words');
} finally {
  await rm(folder, { recursive: true });
}

// A survey with missing answers: three attitudes are found, and the answers filled in as probabilities.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reconstructionFigure } from 'pc-ae/figures';
import { fit, impute, openSource } from 'pc-ae/node';
import { collect, entry } from 'pc-ae/rows';
import { writeSamples } from './samples/make.mjs';

const folder = await mkdtemp(join(tmpdir(), 'pcae-'));
try {
  await writeSamples(folder, ['survey']);
  const answers = await collect(await openSource(join(folder, 'survey.csv')));
  // The ridge is chosen by answers that are known, hidden and guessed.
  const model = await fit(answers, { H: 3, ridge: 'auto', validation: 0.1, encoding: 'nonnegative' });
  const { entryLoss, entryLossAtBaseRates } = await model.chooseShrink(answers);
  console.log(
    `a missing answer costs ${entryLoss.toFixed(2)} nats, ${entryLossAtBaseRates.toFixed(2)} by base rates alone`,
  );

  const filled = await impute(model, answers);
  const gaps = model.columns.flatMap((name, v) =>
    Number.isNaN(entry(answers, 1, v)) ? [`${name} ${Math.round(50 * (1 + entry(filled, 1, v)))}%`] : [],
  );
  console.log(`person 2, answers that were missing: ${gaps.join(', ')} yes`);

  const shown = (rows) =>
    Array.from({ length: 6 * rows.V }, (_, k) => entry(rows, Math.floor(k / rows.V), k % rows.V));
  const picture = reconstructionFigure({
    title: 'Six people, twelve questions: as answered, and filled in',
    note: 'The text colour is yes, the page colour no; orange was not answered.',
    rows: [
      { label: 'answered', values: shown(answers) },
      { label: 'filled in', values: shown(filled) },
    ],
    V: answers.V,
  });
  if (process.argv[2]) await writeFile(process.argv[2], picture);
  if (!(entryLoss < 0.8 * entryLossAtBaseRates)) throw new Error('the attitudes were not found');
} finally {
  await rm(folder, { recursive: true });
}

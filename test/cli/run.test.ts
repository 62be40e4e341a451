import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pcae, workFolder } from './helpers.ts';

it.each([
  [['paper', 'table1', '--data', 'datasets'], 'npm run paper'],
  [['help', 'paper'], 'npm run paper'],
  [['--json', 'data', 'get', 'mnist'], 'npm run paper -- data get'],
])('%j is an error that names the new way', async (argv, now) => {
  const ran = await pcae(argv);
  expect(ran.code).toBe(2);
  expect(ran.err).toContain(now);
});

const at = workFolder();
const table = at('table.csv');
writeFileSync(table, 'a,b,c\n1,0,1\n0,1,1\n1,1,0\n');
writeFileSync(at('model'), '');

it.each([
  [
    ['train', table, '-H', '2', '--calibrate', '-o', at('m.safetensors')],
    "'--calibrate <share|file>' argument missing: -o follows it",
    2,
  ],
  [[table], 'a command comes first, as in pcae train', 2],
  [['train', 'my', 'table.csv', '-H', '2', '-o', at('m')], 'found my, table.csv; a name with spaces', 2],
  [['train', table, '-H', '2', '-o', at('codes.csv')], 'is written as a model: name it .safetensors', 2],
  [['eval', at('model'), table, '--report', at('page.pdf')], 'is written as HTML: name it .html', 2],
  [['sweep', table, '-H', '1', '-o', at('plot.png')], 'is written as SVG: name it .svg', 2],
  [['generate', at('model'), '--picture', at('rows.png')], 'is written as SVG: name it .svg', 2],
  [
    ['train', table, '-H', '2', '-o', at('none/m.safetensors')],
    'the folder to write it in does not exist',
    1,
  ],
  [['demo', '--folder', table], 'is a file; name a folder', 1],
  [['index', at('none.index')], 'there is no such index; make it with --from', 1],
  [['inspect', 'model', '--confidence', '99'], 'between 0 and 1, such as 0.95', 2],
])('a mistake is answered by what to do: %j', async (argv, advice, code) => {
  const ran = await pcae(argv);
  expect(ran.err).toContain(advice);
  expect(ran.code).toBe(code);
});

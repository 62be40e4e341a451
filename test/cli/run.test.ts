import { expect, it } from 'vitest';
import { pcae } from './helpers.ts';

it.each([
  [['paper', 'table1', '--data', 'datasets'], 'npm run paper'],
  [['help', 'paper'], 'npm run paper'],
  [['--json', 'data', 'get', 'mnist'], 'npm run paper -- data get'],
])('%j is an error that names the new way', async (argv, now) => {
  const ran = await pcae(argv);
  expect(ran.code).toBe(2);
  expect(ran.err).toContain(now);
});

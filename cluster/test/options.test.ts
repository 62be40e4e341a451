import { expect, it } from 'vitest';
import { run } from '../src/program.ts';

it.each([
  [['worker', '--idle', 'soon'], '0 or more'],
  [['worker', '--idle', ''], '0 or more'],
  [['worker', '--threads', 'two'], 'a whole number above 0'],
  [['worker', '--lease', 'Infinity'], 'a number above 0'],
  [['encode', 'm', 't', '-o', 'c.npy', '--tolerance', 'small'], 'a number above 0'],
  [['eval', 'm', 't', '--tolerance', '0'], 'a number above 0'],
  [['sweep', 't', '-H', '4', '--ridge', '0.1,'], '0 or more'],
])('%j is refused before anything is opened', async (argv, expected) => {
  const said: string[] = [];
  const io = { out: () => undefined, err: (text: string) => void said.push(text), env: {} };
  expect(await run(argv, { ...io, signal: new AbortController().signal })).toBe(2);
  expect(said.join('')).toContain(expected);
});

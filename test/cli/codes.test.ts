import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openCodes } from '../../src/cli/codes.ts';
import { workFolder } from './helpers.ts';

const at = workFolder();

it.each([
  ['numbers above which encode names the units', 'a.csv', 'patient,h1,h2\n17,0.5,-1\n18,1,0\n', 'patient'],
  ['numbers in a column called as names are', 'b.csv', 'id,a,b\n17,0.5,-1\n18,1,0\n', 'id'],
  ['numbers in objects', 'a.jsonl', '{"site":17,"h1":0.5,"h2":-1}\n{"site":18,"h1":1,"h2":0}\n', 'site'],
  ['words that look like numbers', 'b.jsonl', '{"p":"17","z":[0.5,-1]}\n{"p":"18","z":[1,0]}\n', 'p'],
])('names of rows beside codes: %s', async (_, file, text, heading) => {
  writeFileSync(at(file), text);
  const source = await openCodes(at(file));
  expect(source).toMatchObject({ n: 2, H: 2 });
  expect([...source.ids!]).toEqual(['17', '18']);
  expect(source.ids!.heading).toBe(heading);
  for await (const codes of source.chunks(2)) expect(codes).toEqual(Float32Array.of(0.5, -1, 1, 0));
});

it.each([
  ['units counted from 0', 'h0.csv', 'h0,h1,h2\n3,0.5,-1\n4,1,0\n'],
  ['units with other names', 'z.csv', 'z1,z2,z3\n3,0.5,-1\n4,1,0\n'],
  ['no names of columns', 'plain.csv', '3,0.5,-1\n4,1,0\n'],
])('codes without names of rows: %s', async (_, file, text) => {
  writeFileSync(at(file), text);
  expect(await openCodes(at(file))).toMatchObject({ n: 2, H: 3, ids: undefined });
});

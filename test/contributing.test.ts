import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** A guide for newcomers that names files which have moved is worse than none. */
it.each([
  ['CONTRIBUTING.md', 30],
  ['docs/architecture.md', 8],
])('%s names files and scripts that exist', (guide, least) => {
  const text = readFileSync(guide, 'utf8');
  const paths = [...text.matchAll(/\b(?:src|test|docs|bench|scripts)\/[\w./-]*/g)].map(([path]) =>
    path.replace(/\.$/, ''),
  );
  expect(paths.length).toBeGreaterThan(least);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

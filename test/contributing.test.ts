import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** A guide for newcomers that names files which have moved is worse than none. */
it('CONTRIBUTING.md names files and scripts that exist', () => {
  const text = readFileSync('CONTRIBUTING.md', 'utf8');
  const paths = [...text.matchAll(/\b(?:src|test|docs|bench|scripts)\/[\w./-]*/g)].map(([path]) =>
    path.replace(/\.$/, ''),
  );
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

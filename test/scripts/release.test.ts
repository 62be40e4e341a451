import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

const script = resolve('scripts/release.mjs');
const folders: string[] = [];
let folder = '';

/** A repository with what a release changes. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pcae-release-'));
  folders.push(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'a-package', version: '0.1.0' }));
  copyFileSync('CITATION.cff', join(folder, 'CITATION.cff'));
  writeFileSync(
    join(folder, 'CHANGELOG.md'),
    '# Changelog\n\n## Unreleased\n\n- Better.\n\n## 0.0.9 (2026-01-01)\n\n- Good.\n',
  );
  git('init', '--quiet');
  commit('First');
});
afterAll(() => {
  for (const one of folders) rmSync(one, { recursive: true });
});

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();
const commit = (message: string) => {
  git('add', '--all');
  git('commit', '--quiet', '--message', message);
};
const release = (kind: string) => {
  const who = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.org' };
  const committer = { GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.org' };
  const env = { ...process.env, ...who, ...committer };
  return spawnSync('node', [script, kind], { cwd: folder, encoding: 'utf8', env });
};
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

describe('npm run release', () => {
  it('numbers, dates, commits and tags what the changelog has', () => {
    const { status, stderr } = release('minor');
    expect(stderr).not.toMatch(/release:/);
    expect(status).toBe(0);
    expect(JSON.parse(read('package.json')).version).toBe('0.2.0');
    expect(read('CHANGELOG.md')).toMatch(
      /## Unreleased\n\n## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n- Better\.\n\n## 0\.0\.9/,
    );
    expect(read('CITATION.cff')).toMatch(/^version: 0\.2\.0\ndate-released: \d{4}-\d\d-\d\d$/m);
    expect(git('tag')).toBe('v0.2.0');
    expect(git('log', '-1', '--format=%s')).toBe('Release 0.2.0');
    expect(git('status', '--porcelain')).toBe('');
    // Nothing has changed since: there is nothing to release.
    expect(release('patch').stderr).toMatch(/nothing under/);
  });

  it('releases the number that is there, once', () => {
    expect(release('0.1.0').status).toBe(0);
    expect(git('tag')).toBe('v0.1.0');
  });

  it('refuses what is not a version, and changes that are not committed', () => {
    expect(release('big').stderr).toMatch(/say what changed/);
    writeFileSync(join(folder, 'CITATION.cff'), 'version: 1');
    expect(release('minor').stderr).toMatch(/commit your changes first/);
  });
});

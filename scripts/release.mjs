// `npm run release -- patch|minor|major|X.Y.Z`: a version, from what CHANGELOG.md has under "Unreleased". It
// sets the number in package.json, package-lock.json and CITATION.cff, dates the section of the changelog,
// commits and tags. It publishes nothing: CONTRIBUTING.md says what comes before and after.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8' }).trim();
const fail = (why) => {
  console.error(`release: ${why}`);
  process.exit(1);
};

const [kind] = process.argv.slice(2);
if (!/^(patch|minor|major|\d+\.\d+\.\d+)$/.test(kind ?? ''))
  fail('say what changed: npm run release -- patch | minor | major | X.Y.Z');
if (run('git', 'status', '--porcelain') !== '') fail('commit your changes first');

const changelog = readFileSync('CHANGELOG.md', 'utf8');
const [, before, changes, after] =
  /^([\s\S]*?)## Unreleased\n([\s\S]*?)((?:\n## [\s\S]*)?)$/.exec(changelog) ?? [];
if (!changes?.trim()) fail('CHANGELOG.md has nothing under "## Unreleased"');

// The first release is of the version that package.json has had all along.
const { version: now } = JSON.parse(readFileSync('package.json', 'utf8'));
if (kind !== now) run('npm', 'version', kind, '--no-git-tag-version', '--no-workspaces-update');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const date = new Date().toISOString().slice(0, 10);
writeFileSync('CHANGELOG.md', `${before}## Unreleased\n\n## ${version} (${date})\n${changes}${after}`);
const citation = readFileSync('CITATION.cff', 'utf8').replace(/^date-released: .*\n/m, '');
writeFileSync(
  'CITATION.cff',
  citation.replace(/^version: .*$/m, `version: ${version}\ndate-released: ${date}`),
);
run('git', 'commit', '--quiet', '--all', '--message', `Release ${version}`);
run('git', 'tag', '--annotate', `v${version}`, '--message', `Release ${version}`);
console.log(`committed and tagged v${version}; now: npm publish && git push --follow-tags`);

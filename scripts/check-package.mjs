// What `npm publish` would send, packed into out/: it holds what it should and nothing else, every link of
// its pages and every source of its maps is in it, and it is not larger than its budget. Then what others'
// tools say of it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The most that the package may take, in KiB. */
const PACKED = 3072;
/** All that lies at the top of the package. */
const TOP = [
  ...['CHANGELOG.md', 'CITATION.cff', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'package.json'],
  ...['bench', 'dist', 'docs', 'examples', 'python', 'src'],
];

mkdirSync('out', { recursive: true });
const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', 'out'];
const { stdout } = spawnSync('npm', pack, { encoding: 'utf8' });
const [packed] = Object.values(JSON.parse(stdout));
const files = new Set(packed.files.map(({ path }) => path));
const folders = new Set([...files].map((path) => dirname(path)));
const about = JSON.parse(readFileSync('package.json', 'utf8'));
const wrong = [];

const top = new Set([...files].map((path) => path.split('/')[0]));
for (const name of TOP) if (!top.has(name)) wrong.push(`${name} is not in the package`);
for (const name of top) if (!TOP.includes(name)) wrong.push(`${name}: has no place in the package`);
const named = [...Object.values(about.exports).flatMap(targets), ...Object.values(about.bin)];
for (const path of [...named.map(normalize), 'dist/studio/index.html', 'python/pcae.py'])
  if (!files.has(path)) wrong.push(`${path} is not in the package`);
for (const path of files)
  if (/(^|\/)(test|tests|node_modules|api)\/|\.(tgz|csv|npz|parquet)$/.test(path))
    wrong.push(`${path}: has no place in the package`);
if (packed.size > 1024 * PACKED)
  wrong.push(`${Math.round(packed.size / 1024)} KiB packed, of ${PACKED} at most`);

for (const page of [...files].filter((path) => path.endsWith('.md'))) {
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(link)) continue;
    const [path, anchor] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), path)).replace(/\/$/, '');
    if (!files.has(target) && !folders.has(target)) wrong.push(`${page}: ${link} is not in the package`);
    else if (anchor && !anchorsOf(target).has(anchor)) wrong.push(`${page}: ${link}: no such heading`);
  }
}

for (const map of [...files].filter((path) => path.endsWith('.map'))) {
  for (const source of JSON.parse(readFileSync(map, 'utf8')).sources) {
    const target = normalize(join(dirname(map), source));
    if (!files.has(target)) wrong.push(`${map}: its source ${target} is not in the package`);
  }
}

if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exit(1);
}
console.log(`${files.size} files, ${Math.round(packed.size / 1024)} KiB packed`);

const tarball = join('out', packed.filename);
for (const check of [
  ['publint', '--strict', tarball],
  ['attw', tarball, '--profile', 'esm-only'],
]) {
  const { status } = spawnSync('npx', check, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/** The files that an entry of `exports` names. */
function targets(entry) {
  return typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(targets);
}

/** The anchors of a page's headings, as GitHub and others make them. */
function anchorsOf(page) {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  );
}

// What `npm publish` would send: every link of its pages and every source of its maps is in it, the experiments and the
// tests are not.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
  encoding: 'utf8',
});
const [packed] = Object.values(JSON.parse(stdout));
const files = new Set(packed.files.map(({ path }) => path));
const folders = new Set([...files].map((path) => dirname(path)));
const wrong = [];

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

for (const path of files)
  if (/^(paper|test|scripts)\//.test(path)) wrong.push(`${path}: has no place in the package`);

if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exit(1);
}
console.log(`${files.size} files, ${Math.round(packed.size / 1024)} KiB packed`);

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

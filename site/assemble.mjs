// Puts the pages of the site together in site/pages: copies of the Markdown files with links that lead to
// pages of the site. A link that leads nowhere, or to a heading that a page does not have, is an error.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOT, sections, slug } from './map.mjs';

const pages = join(import.meta.dirname, 'pages');

export function assemble() {
  const all = sections().flatMap((section) => section.pages);
  const paths = new Map(all.map(({ source, path }) => [source, path]));
  const dead = [];
  for (const { source, path } of all) {
    const text = withSources(readFileSync(join(ROOT, source), 'utf8'));
    const linked = mapLinks(text, (link) => {
      const [target, anchor] = resolveLink(source, link);
      if (target === undefined) return link;
      if (!existsSync(join(ROOT, target))) return void dead.push(`${source}: ${link} does not exist`);
      if (anchor && !anchorsOf(target).has(anchor)) dead.push(`${source}: ${link}: no such heading`);
      return address(target, anchor, paths);
    });
    const file = join(pages, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, linked);
  }
  cpSync(join(ROOT, 'docs/images'), join(pages, 'public/images'), { recursive: true });
  cpSync(join(ROOT, 'studio/public/icon.svg'), join(pages, 'public/icon.svg'));
  writeFileSync(join(pages, 'index.md'), readFileSync(join(import.meta.dirname, 'index.md')));
  if (dead.length > 0) throw new Error(`links that lead nowhere:\n${dead.join('\n')}`);
  return all.length;
}

/** Shows the program where a page names it as its source, and leaves out comments. */
function withSources(text) {
  return text
    .replace(/<!--[\s\S]*?-->\n*/g, '')
    .replace(/^Source: \[(examples\/[\w-]+\.mjs)\]\([^)]*\)$/gm, (_, file) => {
      const program = readFileSync(join(ROOT, file), 'utf8').trim();
      return `::: details Source: \`${file}\`\n\n\`\`\`js\n${program}\n\`\`\`\n\n:::`;
    });
}

/** The address on the site of a file of the repository; undefined where the site has no such page. */
function address(target, anchor, paths) {
  const hash = anchor ? `#${anchor}` : '';
  if (target === 'README.md') return `/index.md${hash}`;
  if (paths.has(target)) return `/${paths.get(target)}${hash}`;
  if (paths.has(`${target}/README.md`)) return `/${paths.get(`${target}/README.md`)}`;
  if (target.startsWith('docs/images/')) return target.replace('docs', '');
  const example = /^examples\/([\w-]+)\.mjs$/.exec(target);
  if (example && paths.has('docs/gallery.md')) return `/gallery.md#${example[1]}`;
  return undefined;
}

/** The file of the repository that a link means, and the heading; nothing for a link to somewhere else. */
function resolveLink(source, link) {
  if (/^[a-z]+:/.test(link)) return [undefined];
  const [path, anchor] = link.split('#');
  return [path === '' ? source : normalize(join(dirname(source), path)).replace(/\/$/, ''), anchor];
}

/** Rewrites the links of a page outside its code; a link that `map` gives nothing for becomes plain text. */
function mapLinks(text, map) {
  const code = /^```[\s\S]*?^```|`[^`\n]*`/gm;
  const link = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;
  const kept = [];
  const bare = text.replace(code, (block) => `\uE000${kept.push(block) - 1}\uE000`);
  const mapped = bare.replace(link, (whole, image, words, target) => {
    const to = map(target);
    return to === undefined ? words : to === target ? whole : `${image}[${words}](${to})`;
  });
  return mapped.replace(/\uE000(\d+)\uE000/g, (_, k) => kept[k]);
}

const anchors = new Map();

function anchorsOf(page) {
  if (!anchors.has(page)) {
    const text = readFileSync(join(ROOT, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
    anchors.set(page, new Set(Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading]) => slug(heading))));
  }
  return anchors.get(page);
}

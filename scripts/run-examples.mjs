// Runs every example against the built package and fails if one of them does, or draws no picture.
// With --write it keeps the pictures in docs/images/gallery and writes docs/gallery.md from them: npm run
// gallery.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const write = process.argv.includes('--write');
const chosen = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const folder = write ? 'docs/images/gallery' : 'out/gallery';
const PAGE = 'docs/gallery.md';
mkdirSync(folder, { recursive: true });

const examples = readdirSync('examples')
  .filter((name) => name.endsWith('.mjs'))
  .map((file) => file.replace('.mjs', ''));
const faults = [];
const printed = {};
for (const name of examples) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const picture = `${folder}/${name}.svg`;
  writeFileSync(picture, '');
  const { status, stdout, stderr } = spawnSync('node', [`examples/${name}.mjs`, picture], {
    encoding: 'utf8',
  });
  const drawn = readFileSync(picture, 'utf8').startsWith('<svg');
  console.log(`${name}: ${status === 0 ? (drawn ? 'ok' : 'NO PICTURE') : 'FAILED'}`);
  if (status !== 0 || !drawn) faults.push(`${name}\n${stdout}${stderr}`);
  printed[name] = stdout.trimEnd();
}
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
if (write) writeFileSync(PAGE, gallery());
const page = readFileSync(PAGE, 'utf8');
const lacking = examples.filter((name) => !page.includes(`\n## ${name}\n`));
if (lacking.length > 0) {
  console.error(`${PAGE} lacks ${lacking.join(', ')}; npm run gallery writes it anew`);
  process.exit(1);
}
console.log(`${Object.keys(printed).length} passed, 0 failed`);

/** The page: for each example its first comment, its picture, its source and what it prints. */
function gallery() {
  const before = readOutputs();
  const parts = examples.map((name) => {
    const source = readFileSync(`examples/${name}.mjs`, 'utf8');
    const about = /^((?:\/\/.*\n)+)/
      .exec(source)[1]
      .replace(/^\/\/ ?/gm, '')
      .trim();
    const title = /<title>([^<]*)</.exec(readFileSync(`docs/images/gallery/${name}.svg`, 'utf8'))[1];
    return [
      `## ${name}`,
      about,
      `![${title}](images/gallery/${name}.svg)`,
      `\`\`\`text\n${printed[name] ?? before[name]}\n\`\`\``,
      `Source: [examples/${name}.mjs](../examples/${name}.mjs)`,
    ].join('\n\n');
  });
  const table = examples.map((name) => `[${name}](#${name})`).join(' · ');
  return [
    '# Gallery',
    '<!-- Written by npm run gallery from examples/. -->',
    'Each picture is drawn by a program of a few dozen lines that makes its own data. The programs are in the folder `examples` of the ' +
      'package, and each of them is a test: it fails if the result is not what the text says.',
    table,
    ...parts,
    '',
  ].join('\n\n');
}

function readOutputs() {
  const parts = readFileSync(PAGE, { encoding: 'utf8', flag: 'a+' }).matchAll(
    /^## (.*)\n[\s\S]*?```text\n([\s\S]*?)\n```/gm,
  );
  return Object.fromEntries(Array.from(parts, ([, name, text]) => [name, text]));
}

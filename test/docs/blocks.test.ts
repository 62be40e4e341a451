import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Block, blocksOf, commandsOf, openRunner, runPython, shapeOf } from './blocks.ts';
import { runSql } from './sql.ts';

/**
 * Every block of code of the documentation is run as it stands: JavaScript in a file of its own, commands in
 * the order of the page, in a folder with the samples; Python and SQL where Python with NumPy and the
 * databases are installed, as they are in CI. A block of text below a block of code is what that prints.
 * UPDATE_DOCS=1 npx vitest run test/docs/blocks.test.ts writes these outputs again.
 */
const root = resolve(import.meta.dirname, '../..');
const main = join(root, 'dist/cli/main.js');
/** Its examples name files that nobody has: test/cli/reference.test.ts checks their commands and options. */
const CHECKED_ELSEWHERE = new Set(['docs/cli.md']);
const pages = ['docs', 'docs/concepts', 'docs/guides']
  .flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`))
  .concat('README.md', 'CONTRIBUTING.md')
  .filter((name) => name.endsWith('.md') && !CHECKED_ELSEWHERE.has(name))
  .filter((name) => blocksOf(readFileSync(join(root, name), 'utf8')).length > 0)
  .sort();

/** What a test cannot run: set-up commands, servers, and programs that are not part of this package. */
const NOT_RUN =
  /^(npm (ci|install|run|start|test|link)\b|npx vitest\b|npx pc-ae (studio|demo)\b|pcae studio\b|cd |node )/;
const ELSEWHERE = new Set(['text', 'json', 'html', 'csv', '']);

describe.skipIf(!existsSync(main) && !process.env.CI)('every block of', () => {
  const folder = join(root, 'out/blocks');
  let runner: ReturnType<typeof openRunner>;
  beforeAll(() => {
    expect(existsSync(main), 'CI runs npm run build first').toBe(true);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    // Through a link, as pnpm and npm link install the package.
    const link = join(folder, 'package');
    symlinkSync(root, link, 'junction');
    const made = spawnSync(process.execPath, [join(link, 'examples/samples/make.mjs'), folder]);
    expect(made.status, String(made.stderr)).toBe(0);
    expect(String(made.stdout)).toContain('sites.csv');
    unlinkSync(link);
    writeTables(folder);
    runner = openRunner(folder);
  });
  afterAll(() => {
    runner?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(pages)('%s runs', { timeout: 600_000 }, async (name) => {
    let page = readFileSync(join(root, name), 'utf8');
    const blocks = blocksOf(page);
    for (const [k, block] of blocks.entries()) {
      let printed = '';
      if (block.about === 'gpu') await runner.script({ ...block, text: importsOf(block) });
      else if (block.language === 'js') printed = await runner.script(block);
      else if (block.language === 'python' || block.language === 'sql') {
        const earlier = blocks.slice(0, k + 1).filter(({ language }) => language === block.language);
        printed = await whereInstalled(block, `${name}:${block.line}`, () =>
          block.language === 'sql' ? runSql(block, folder) : runPython(earlier, folder, join(root, 'python')),
        );
      } else if (block.language === 'sh') {
        for (const command of commandsOf(block)) {
          if (NOT_RUN.test(command)) checkScript(command);
          else printed += await runner.command(forced(command), main);
        }
      } else expect(ELSEWHERE, `${name}:${block.line}: ${block.language}`).toContain(block.language);
      const next = blocks[k + 1];
      if (next?.about !== 'output') continue;
      if (process.env.UPDATE_DOCS) page = page.replace(next.text, () => printed.replace(/\s*$/, '\n'));
      else expect(shapeOf(printed), `${name}:${next.line}`).toBe(shapeOf(next.text));
    }
    if (process.env.UPDATE_DOCS) writeFileSync(join(root, name), page);
  });
});

describe('the README', () => {
  const text = readFileSync(join(root, 'README.md'), 'utf8');

  it('has at most 120 lines', () => expect(text.split('\n').length - 1).toBeLessThanOrEqual(120));

  it('names only scripts that exist, and the test command of CI', () => {
    for (const command of blocksOf(text).flatMap(commandsOf)) checkScript(command);
    expect(text).toContain('npm ci && npm test');
  });
});

/** Pages share one folder; a file that another page has written already is written again. */
function forced(command: string): string {
  return /^(npx )?pcae (train|encode|decode|convert|reconstruct|generate|export|eval|sweep|index|compress)\b/.test(
    command,
  ) && / -o | --report | --from |convert |compress /.test(command)
    ? command.replace(/^((npx )?pcae \w+)/, '$1 --force')
    : command;
}

let hasNumpy: boolean | undefined;

/** What a machine without a graphics card can check of a block for one. */
function importsOf({ text }: Block): string {
  return text
    .split('\n')
    .filter((line) => line.startsWith('import '))
    .join('\n');
}

/** What other programs run: left out with a word where they are not installed, except in CI. */
async function whereInstalled(block: Block, place: string, run: () => string | Promise<string>) {
  hasNumpy ??= spawnSync('python3', ['-c', 'import numpy']).status === 0;
  const needed = block.language === 'python' || block.about === 'sqlite' ? 'Python with NumPy' : block.about;
  try {
    if (!hasNumpy && needed === 'Python with NumPy') throw new Error('not installed');
    return await run();
  } catch (error) {
    const lacks = /not installed|Cannot find (package|module)|Failed to (load|resolve)/.test(String(error));
    if (process.env.CI === 'true' || !lacks) throw error;
    console.warn(`${place} was not run: it needs ${needed}`);
    return '';
  }
}

function checkScript(command: string): void {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [, name] of command.matchAll(/npm (?:run )?(start|test|(?<=run )[\w:]+)/g))
    expect(Object.keys(scripts), command).toContain(name);
}

/** Files that pages name and that no sample has. */
function writeTables(folder: string): void {
  const sites = readFileSync(join(folder, 'sites.csv'), 'utf8').trim().split('\n');
  const complete = sites.map((line) => line.replace(/,(?=,|$)/g, ',0'));
  writeFileSync(join(folder, 'my.csv'), `${sites.join('\n')}\n`);
  writeFileSync(join(folder, 'clean.csv'), `${complete.join('\n')}\n`);
  copyFileSync(join(folder, 'embeddings.npy'), join(folder, 'words.npy'));
  copyFileSync(join(folder, 'queries.npy'), join(folder, 'more.npy'));
  writeFileSync(join(folder, 'rows.txt'), '1\n'.repeat(sites.length - 1));
  writeFileSync(join(folder, 'columns.txt'), '1\n'.repeat(12));
  const codes = sites.slice(1).map((_, i) => `${Math.sin(i)},${Math.cos(3 * i)}`);
  writeFileSync(join(folder, 'codes.csv'), `a,b\n${codes.join('\n')}\n`);
  const baskets = readFileSync(join(folder, 'baskets.csv'), 'utf8').trim().split('\n').slice(1);
  const orders = baskets.map((line, i) => `${line},${i % 9}`);
  writeFileSync(join(folder, 'orders.csv'), `customer,product,quantity\n${orders.join('\n')}\n`);
  const answers = codes.map((_, i) => `p${i},${20 + ((i * 7) % 60)},${i % 3 ? 'no' : 'yes'},${1 + (i % 5)}`);
  writeFileSync(join(folder, 'answers.csv'), `name,age,smokes,answer\n${answers.join('\n')}\n`);
}

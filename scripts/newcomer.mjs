// A newcomer's first minutes: in an empty folder, installs the package as `npm publish` would send it, and
// does what the README says, word for word, with a table of their own. Fails if a command fails or a result
// is missing; prints the time it took.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'pcae-newcomer-'));
const at = (name) => join(folder, name);
try {
  const [{ filename }] = Object.values(
    JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root)),
  );
  const start = Date.now();

  const [install] = commands().filter((line) => line.startsWith('npm install'));
  assert.equal(install, 'npm install pc-ae');
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${filename}`]);
  step('installed');

  const program = /```js\n([\s\S]*?)```/.exec(readme)[1];
  writeFileSync(at('first.mjs'), program);
  const printed = run('node', ['first.mjs']);
  const promised = Number(/at most ([\d.]+) nats on average/.exec(readme)[1]);
  const found = Number(/at most ([\d.]+) nats per row/.exec(printed)[1]);
  assert(Math.abs(found / promised - 1) < 0.02, `the README says ${promised}, the program ${found}`);
  step(`first program: ${found} nats promised, as the README says`);

  writeFileSync(at('my.csv'), table());
  for (const command of commands().filter((line) => line.startsWith('npx pcae'))) {
    const [, ...words] = command.split(/\s+/);
    run('npx', words);
    step(command);
  }
  assert(readFileSync(at('my.safetensors')).length > 500);
  assert.equal(lines('codes.csv').length, 201);
  assert(
    lines('full.csv').every((line) => !/,(,|$)/.test(line)),
    'no cell is left empty',
  );
  console.log('from an empty folder to a model of a table of one’s own: ok');

  function step(what) {
    console.log(`${((Date.now() - start) / 1000).toFixed(0).padStart(4)} s  ${what}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The commands of the README's blocks of shell, without their comments. */
function commands() {
  return Array.from(readme.matchAll(/```sh\n([\s\S]*?)```/g), ([, block]) => block.split('\n'))
    .flat()
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter(Boolean);
}

/** 200 people and ten things they own, with gaps: what somebody might have at hand. */
function table() {
  const things = ['car', 'bike', 'boat', 'tent', 'piano', 'drum', 'cat', 'dog', 'garden', 'shed'];
  let state = 9;
  const chance = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  const rows = Array.from({ length: 200 }, (_, i) => {
    const outdoors = chance() < 0.5;
    const cells = things.map((_, v) => Number(chance() < (v < 4 === outdoors ? 0.8 : 0.2)));
    return [`person ${i + 1}`, ...cells.map((cell) => (chance() < 0.1 ? '' : cell))].join(',');
  });
  return [['who', ...things].join(','), ...rows, ''].join('\n');
}

function lines(name) {
  return readFileSync(at(name), 'utf8').trim().split('\n');
}

function run(program, words, cwd = folder) {
  return execFileSync(program, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

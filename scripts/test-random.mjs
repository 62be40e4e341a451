// `npm run test:random`: the property tests on cases that no one has seen, round after round, for a given
// time.
//   npm run test:random -- --seconds 3600 --seed 7 --each 5 test/engine --maxWorkers 1
// --seconds: the time for all; --each: the seconds a round gives to each property; --seed: the first cases;
// whatever else is said goes to vitest (files, options). A failure is printed with the command that repeats
// it, and the rounds go on, until a signal stops them: the exit status is 1 where any property failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const args = process.argv.slice(2);
const seconds = number('--seconds', 600);
const each = number('--each', 5);
let seed = number('--seed', Math.floor(Math.random() * 2 ** 31));

const chosen = args.some((arg) => arg.startsWith('test/')) ? [] : propertyTests();
const folder = mkdtempSync(join(tmpdir(), 'pcae-random-'));
const log = join(folder, 'log');
const failures = new Map();
const start = Date.now();
let cases = 0;
let running;
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    stopped = true;
    // npx and all that it started.
    if (running) process.kill(-running.pid, 'SIGTERM');
  });
for (let round = 1; round === 1 || Date.now() - start < 1000 * seconds; round++) {
  console.log(`\n== round ${round}: --seed ${seed}`);
  rmSync(log, { force: true });
  const left = Math.max(0, seconds - (Date.now() - start) / 1000);
  const env = {
    ...process.env,
    PROPERTY_SEED: `${seed}`,
    PROPERTY_SECONDS: `${Math.min(each, left)}`,
    PROPERTY_LOG: log,
  };
  // Each property takes the time of the round: no limit on a test means anything here.
  const command = ['vitest', 'run', '--testTimeout=3600000', '--reporter=dot', ...chosen, ...args];
  running = spawn('npx', command, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [running.stdout, running.stderr])
    stream.on('data', (piece) => {
      said += piece;
    });
  const [status] = await once(running, 'close');
  const entries = existsSync(log)
    ? readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
  for (const entry of entries) {
    cases += entry.cases;
    if (entry.repeat) report(entry);
  }
  if (status !== 0 && !stopped && !entries.some((entry) => entry.repeat)) {
    console.log(said);
    failures.set(`round ${round}`, `PROPERTY_SEED=${seed} PROPERTY_SECONDS=${each} npx ${command.join(' ')}`);
  }
  console.log(`   ${cases} cases, ${failures.size} failures, ${((Date.now() - start) / 1000).toFixed(0)} s`);
  if (stopped) break;
  seed = (seed + 1_000_003) % 2 ** 31;
}
rmSync(folder, { recursive: true });
for (const repeat of failures.values()) console.log(`\nfailed: ${repeat}`);
process.exit(failures.size ? 1 : 0);

/** One report per test: the same property fails again in later rounds. */
function report({ repeat, message }) {
  const test = repeat.slice(repeat.indexOf('npx'));
  if (failures.has(test)) return;
  failures.set(test, repeat);
  console.log(message.length < 4000 ? message : `${message.slice(0, 3000)} ... ${message.slice(-900)}`);
}

function number(name, byDefault) {
  const at = args.indexOf(name);
  if (at < 0) return byDefault;
  const [, value] = args.splice(at, 2);
  if (!Number.isFinite(Number(value)) || value === undefined)
    throw new Error(`${name} needs a number, not ${value}`);
  return Number(value);
}

/** The test files that use test/property.ts, or a helper beside them that does. */
function propertyTests() {
  const files = readdirSync('test', { recursive: true }).map((name) => join('test', name));
  const text = new Map(
    files.filter((name) => name.endsWith('.ts')).map((name) => [name, readFileSync(name, 'utf8')]),
  );
  const uses = (name) => /\/property\.ts'/.test(text.get(name)) || /survivesDamage/.test(text.get(name));
  return [...text.keys()].filter((name) => name.endsWith('.test.ts') && uses(name)).sort();
}

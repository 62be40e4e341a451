import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import { type Case, makeCase } from './case.ts';
import { allSeeds } from './seeds/index.ts';
import { Watched } from './watched.ts';
import type { Answer } from './worker.ts';

const HELP = `npm run fuzz [-- --seconds 600 --seed N --format npz --case K --out FOLDER]

Opens damaged files, one after the other, and watches what each takes. Whatever is neither read nor refused in words is
a finding; it is made smaller and kept in a folder.
  --seconds S   how long (60)
  --seed N      which files (by the clock); it is printed, and the same seed makes the same files
  --format F    only one format, such as npz, png, model, checkpoint
  --case K      only this one file of the seed
  --out FOLDER  where findings are kept (out/fuzz-findings)
`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    format: { type: 'string' },
    case: { type: 'string' },
    out: { type: 'string', default: 'out/fuzz-findings' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit();
}
const seed = values.seed === undefined ? Math.floor(Date.now() / 1000) : Number(values.seed);
const only = values.case === undefined ? undefined : Number(values.case);
console.log(`seed ${seed}`);

const seeds = await allSeeds(await createWasmEngine(), values.format);
const worker = new Watched(new URL('./worker.js', import.meta.url));
const counts = new Map<string, { read: number; refused: number; finding: number }>();
const kinds = new Set<string>();
const end = performance.now() + 1000 * Number(values.seconds);
let index = only ?? 0;
// A run that is stopped still says what it saw.
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    stopped = true;
  });
for (; !stopped && (only === undefined ? performance.now() < end : index === only); index++) {
  const given = makeCase(seeds, seed, index);
  let answer = await worker.ask(given);
  // Memory may have been a leftover of files before: only what a fresh process takes counts.
  if (answer.kind === 'finding' && !stopped) answer = await worker.askFresh(given);
  // The signal that stops a run may have reached the worker too.
  if (stopped) break;
  const count = counts.get(given.format) ?? { read: 0, refused: 0, finding: 0 };
  counts.set(given.format, count);
  count[answer.kind]++;
  if (only !== undefined) console.log(`${answer.kind}: ${answer.message?.slice(0, 1000) ?? ''}`);
  if (answer.kind === 'finding') await report(given, answer);
}
await worker.close();

const found = [...counts.values()].reduce((sum, { finding }) => sum + finding, 0);
console.log(
  `seed ${seed}: ${index - (only ?? 0)} files, ${found} findings of ${kinds.size} kinds${stopped ? ', stopped' : ''}`,
);
console.table(Object.fromEntries([...counts].sort()));
process.exit(found > 0 ? 1 : 0);

/** Says what was found, once for each kind, and keeps the file with as few changes as show it. */
async function report(given: Case, answer: Answer): Promise<void> {
  const kind = signature(given, answer);
  if (kinds.has(kind)) return;
  kinds.add(kind);
  const smaller = await smallest(given, kind);
  mkdirSync(values.out, { recursive: true });
  const path = join(values.out, `${seed}-${index}-${given.name}`);
  writeFileSync(path, smaller.bytes);
  console.log(`\ncase ${index} (${given.format}), ${smaller.bytes.length} bytes: ${path}`);
  console.log(`  ${smaller.changes.join('; ')}`);
  console.log(
    `  ${answer.message
      ?.split('\n')
      .slice(0, 10)
      .map((line) => line.slice(0, 300))
      .join('\n')}`,
  );
  console.log(`  ${answer.seconds.toFixed(1)} s, ${answer.memory.toFixed(0)} MiB`);
}

/** What makes two findings one: the error and where it came from, without numbers. */
function signature({ format }: Case, { message = '' }: Answer): string {
  return `${format}: ${message.split('\n').slice(0, 2).join(' ').replace(/\d+/g, '#').slice(0, 160)}`;
}

/** Leaves changes out, one at a time, as long as the finding stays the same. */
async function smallest(given: Case, kind: string): Promise<Case> {
  let best = given;
  let without: number[] = [];
  for (let k = 0; k < given.changes.length; k++) {
    const less = makeCase(seeds, seed, index, [...without, k]);
    const answer = await worker.askFresh(less);
    if (answer.kind !== 'finding' || signature(less, answer) !== kind) continue;
    best = less;
    without = [...without, k];
  }
  return best;
}

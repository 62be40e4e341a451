// `npm test`: everything that must hold before a change lands, in the order in which failures are cheapest.
// Steps of one line run at the same time, as far as neither needs both cores or what the other makes.
import { spawn } from 'node:child_process';

const steps = [
  [['format and lint', 'npm', ['run', '--silent', 'lint']]],
  [
    ['kernels', 'node', ['scripts/build-kernels.mjs', 'simd', 'layout']],
    ['relaxed kernels', 'node', ['scripts/build-kernels.mjs', 'relaxed', 'search']],
  ],
  [
    ['types', 'npx', ['tsc', '-p', 'tsconfig.json']],
    ['build', 'npm', ['run', '--silent', 'build:types']],
  ],
  [
    ['cluster', 'npx', ['tsc', '-p', 'cluster/tsconfig.json']],
    ['studio', 'npm', ['run', '--silent', 'build:studio']],
  ],
  [
    [
      "studio's types",
      'npx',
      ['svelte-check', '--workspace', 'studio', '--tsconfig', './tsconfig.json', '--fail-on-warnings'],
    ],
    ['site', 'node', ['site/build.mjs']],
    ['examples', 'node', ['scripts/run-examples.mjs']],
  ],
  [['unit and property tests', 'npx', ['vitest', 'run']]],
  [
    ['the package', 'node', ['scripts/check-package.mjs']],
    ["consumers' types", 'node', ['scripts/check-types.mjs']],
    ['what a page loads', 'node', ['scripts/check-size.mjs']],
  ],
  [
    ['the executable', 'node', ['scripts/build-executable.mjs']],
    ['a newcomer with the README', 'node', ['scripts/newcomer.mjs']],
    ['every version of Node that is supported', 'node', ['scripts/test-nodes.mjs', '--smoke']],
  ],
];

for (const together of steps) {
  const failed = (await Promise.all(together.map((step) => run(step, together.length === 1)))).filter(
    Boolean,
  );
  if (failed.length === 0) continue;
  console.error(`\n${failed.join('\n')}`);
  process.exit(1);
}

/**
 * Runs a step, and shows what it prints: at once where it is alone, else when it has ended. What failed, if
 * it did.
 */
function run([name, command, args], alone) {
  const start = Date.now();
  if (alone) console.log(`\n== ${name}`);
  const child = spawn(command, args, { stdio: alone ? 'inherit' : ['ignore', 'pipe', 'pipe'] });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => printed.push(part));
  return new Promise((resolve) => {
    child.on('close', (status) => {
      if (!alone) console.log(`\n== ${name}\n${Buffer.concat(printed)}`);
      console.log(`   ${((Date.now() - start) / 1000).toFixed(1)} s`);
      resolve(status === 0 ? undefined : `${name}: failed (${command} ${args.join(' ')})`);
    });
  });
}

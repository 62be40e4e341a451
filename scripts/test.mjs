// `npm test`: everything that must hold before a change lands, in the order in which failures are cheapest.
import { spawnSync } from 'node:child_process';

const steps = [
  ['format and lint', 'npx', ['biome', 'check', '--error-on-warnings', '.']],
  ['kernels', 'node', ['scripts/build-kernels.mjs']],
  ['types', 'npx', ['tsc', '-p', 'tsconfig.json']],
  ['build', 'npm', ['run', '--silent', 'build:types']],
  ['cluster', 'npx', ['tsc', '-p', 'cluster/tsconfig.json']],
  ['studio', 'npm', ['run', '--silent', 'build:studio']],
  [
    "studio's types",
    'npx',
    ['svelte-check', '--workspace', 'studio', '--tsconfig', './tsconfig.json', '--fail-on-warnings'],
  ],
  ['site', 'node', ['site/build.mjs']],
  ['unit and property tests', 'npx', ['vitest', 'run']],
  ['examples', 'node', ['scripts/run-examples.mjs']],
  ["consumers' types", 'node', ['scripts/check-types.mjs']],
  ['what a page loads', 'node', ['scripts/check-size.mjs']],
  ['the package', 'node', ['scripts/check-package.mjs']],
  ['the executable', 'node', ['scripts/build-executable.mjs']],
  ['a newcomer with the README', 'node', ['scripts/newcomer.mjs']],
  ['every version of Node that is supported', 'node', ['scripts/test-nodes.mjs', '--smoke']],
];

for (const [name, command, args] of steps) {
  const start = Date.now();
  console.log(`\n== ${name}`);
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) {
    console.error(`\n${name}: failed (${command} ${args.join(' ')})`);
    process.exit(1);
  }
  console.log(`   ${((Date.now() - start) / 1000).toFixed(1)} s`);
}

// Compiles a program that uses the built package, by the oldest and the newest TypeScript, with the strictest
// flags.
import { spawnSync } from 'node:child_process';

for (const which of ['oldest', 'newest']) {
  const folder = `test/consumer/${which}`;
  const tsc = (...args) =>
    spawnSync('node', [`${folder}/node_modules/typescript/bin/tsc`, ...args], { encoding: 'utf8' });
  const { status, stdout, stderr } = tsc('-p', folder);
  console.log(`TypeScript ${tsc('--version').stdout.trim()}: ${status === 0 ? 'ok' : 'FAILED'}`);
  if (status !== 0) {
    console.error(stdout, stderr);
    process.exit(1);
  }
}

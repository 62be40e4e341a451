// Runs every example against the built package and fails if one of them does.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const examples = readdirSync('examples').filter((name) => name.endsWith('.mjs'));
for (const name of examples) {
  const { status, stdout, stderr } = spawnSync('node', [`examples/${name}`], { encoding: 'utf8' });
  console.log(`${name}: ${status === 0 ? 'ok' : 'FAILED'}`);
  if (status !== 0) {
    console.error(stdout, stderr);
    process.exit(1);
  }
}
console.log(`${examples.length} passed, 0 failed`);

// `npm run docs`: the documentation as a site, in site/dist. With --dev, a server that shows changes of the
// theme at once.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { assemble } from './assemble.mjs';
import { ROOT } from './map.mjs';

const site = import.meta.dirname;
rmSync(join(site, 'pages'), { recursive: true, force: true });
run('reference of the library', 'typedoc', ['--options', 'site/typedoc.json']);
console.log(`${assemble()} pages`);
run('library for live examples', 'vite', ['build', '--config', 'site/live.config.mjs', '--logLevel', 'warn']);
run('sample data', 'node', ['examples/samples/make.mjs', 'site/pages/public/samples']);
run('site', 'vitepress', [process.argv.includes('--dev') ? 'dev' : 'build', 'site']);

function run(name, command, args) {
  const start = Date.now();
  const [program, ...rest] = command === 'node' ? [process.execPath, ...args] : ['npx', command, ...args];
  const { status } = spawnSync(program, rest, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  console.log(`${name}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
}

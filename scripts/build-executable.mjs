// `npm run executable`: the command as one file that needs no Node, out/pcae, by Node's own tooling (single
// executable applications). The command is bundled into one script; postject puts it into a copy of this
// Node. The page of `pcae studio` and the GPU need files beside the program; they are not in it, and say so.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** What marks the place in a Node where the script goes; Nodes that were built otherwise have none. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
if (!readFileSync(process.execPath).includes(FUSE)) {
  console.log('this Node cannot become an executable of its own: use one from nodejs.org');
  process.exit(0);
}

const folder = 'out/executable';
const target = join('out', process.platform === 'win32' ? 'pcae.exe' : 'pcae');
mkdirSync(folder, { recursive: true });

// The HDF5 library runs in a thread, which is given its text: there is no file that it could be loaded from.
const address = {
  define: { 'import.meta.url': 'ADDRESS' },
  banner: {
    js: `import { pathToFileURL } from 'node:url'; const ADDRESS = pathToFileURL(process.execPath).href;`,
  },
};
const { outputFiles } = await build({
  ...{
    entryPoints: ['h5wasm/node'],
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  },
  ...address,
  ...{ write: false, tsconfigRaw: '{}' },
});
const h5wasm = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`;

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const script = join(folder, 'pcae.cjs');
await build({
  stdin: {
    resolveDir: 'dist/cli',
    // dist/cli/main.js waits at its top level, which a script of this kind may not.
    contents: `import { processIo } from './io.js';
      import { run } from './run.js';
      run(process.argv.slice(2), processIo()).then((code) => { process.exitCode = code; });`,
  },
  ...{ outfile: script, bundle: true, minify: true, platform: 'node', format: 'cjs', target: 'node20' },
  // A script inside an executable has no address of its own: what asks for one looks beside the executable.
  define: { 'import.meta.url': 'ADDRESS' },
  banner: { js: `const ADDRESS = require('node:url').pathToFileURL(process.execPath).href;` },
  plugins: [
    {
      name: 'version',
      setup: (setup) =>
        setup.onLoad({ filter: /cli[\\/]version\.js$/ }, () => ({
          contents: `export const VERSION = ${JSON.stringify(version)};`,
        })),
    },
    {
      name: 'h5wasm',
      setup: (setup) =>
        setup.onLoad({ filter: /formats[\\/]node[\\/]h5wasm\.js$/ }, () => ({
          contents: `export const h5wasmAddress = () => ${JSON.stringify(h5wasm)};`,
        })),
    },
  ],
  external: ['webgpu'],
  tsconfigRaw: '{}',
});
const config = join(folder, 'sea.json');
const blob = join(folder, 'pcae.blob');
writeFileSync(config, JSON.stringify({ main: script, output: blob, disableExperimentalSEAWarning: true }));
execFileSync(process.execPath, ['--experimental-sea-config', config], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
copyFileSync(process.execPath, target);
chmodSync(target, 0o755);
// On macOS the copy's signature has to go first, and a new one to be made afterwards.
if (process.platform === 'darwin') execFileSync('codesign', ['--remove-signature', target]);
const segment = process.platform === 'darwin' ? ['--macho-segment-name', 'NODE_SEA'] : [];
const inject = ['postject', target, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE, ...segment];
execFileSync('npx', inject, { stdio: 'pipe', shell: process.platform === 'win32' });
if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', target]);
console.log(`${target}: ${Math.round(statSync(target).size / 2 ** 20)} MiB`);
execFileSync(process.execPath, ['scripts/smoke.mjs', target], { stdio: 'inherit' });

// What a page loads: budgets for what is imported, bundled and minified by esbuild, in kB gzipped. It counts
// what is loaded at once, and the WebAssembly engine with its kernels, which every page that computes loads
// next. Other parts come when they are asked for. A bundler keeps a public file, with all that it imports,
// once a part that comes later imports it: what such parts need is in files of their own.
// size-limit would do the same with fifteen more packages, but knows nothing of the kernels that are loaded
// later.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const ENGINE = ['dist/engine/wasm/engine.js', 'dist/engine/wasm/relaxed.generated.js'];

/** What is imported, from where, and the most that it may take. */
const budgets = [
  ['{ fit }', 'pc-ae', 90],
  ['{ load }', 'pc-ae', 90],
  ['{ fit, load, impute, calibrate }', 'pc-ae', 112],
  ['{ crossEntropy }', 'pc-ae', 4],
  ['{ createWasmEngine }', 'pc-ae/engine', 45],
  ['{ unpackCodes }', 'pc-ae/bits', 1],
  ['{ lossCurveFigure }', 'pc-ae/figures', 5],
  ['{ openBytes }', 'pc-ae/formats', 12],
  ['*', 'pc-ae/math', 12],
];

let failed = false;
for (const [names, from, most] of budgets) {
  const { size, parts } = await measure(`export ${names} from '${from}'`);
  const over = size > 1000 * most;
  failed ||= over;
  console.log(
    `${(size / 1000).toFixed(1).padStart(6)} kB of ${most}  import ${names} from '${from}'${over ? '  TOO LARGE' : ''}`,
  );
  if (over) console.error(parts.map(([bytes, path]) => `  ${bytes} bytes minified: ${path}`).join('\n'));
}
process.exit(failed ? 1 : 0);

async function measure(contents) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    ...{ bundle: true, minify: true, splitting: true, format: 'esm', platform: 'browser', target: 'es2022' },
    ...{ outdir: 'out', write: false, metafile: true, tsconfigRaw: '{}', external: ['webgpu'] },
  });
  const { outputs } = metafile;
  const entry = Object.keys(outputs).find((name) => outputs[name].entryPoint === '<stdin>');
  const loaded = new Set([entry]);
  for (const name of loaded)
    for (const { path, kind } of outputs[name].imports)
      if (
        path in outputs &&
        (kind === 'import-statement' || ENGINE.some((file) => file in outputs[path].inputs))
      )
        loaded.add(path);
  const files = outputFiles.filter(({ path }) => [...loaded].some((name) => path.endsWith(`/${name}`)));
  const inputs = [...loaded].flatMap((name) => Object.entries(outputs[name].inputs));
  return {
    size: files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0),
    parts: inputs
      .map(([path, { bytesInOutput }]) => [bytesInOutput, path])
      .sort(([a], [b]) => b - a)
      .slice(0, 20),
  };
}

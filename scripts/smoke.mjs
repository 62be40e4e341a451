// A short run of the built library and of the built command (or of the executable named), as somebody who has
// installed them uses them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import h5wasm from 'h5wasm/node';
import { digits, fit, load } from 'pc-ae/node';

const folder = mkdtempSync(join(tmpdir(), 'pcae-smoke-'));
try {
  const { train } = digits({ train: 200, test: 10 });
  const model = await fit(train, { H: 6, epochs: 3, seed: 1 });
  const { losses, gaps } = await model.encode(train);
  assert(Math.max(...gaps) <= 0.01, 'every code is proven');
  const again = load(model.save());
  assert.deepEqual((await again.encode(train)).losses, losses);

  const rows = Array.from({ length: 60 }, (_, i) => [i & 1, (i >> 1) & 1, i & 1, 1 - (i & 1)].join(','));
  writeFileSync(join(folder, 'rows.csv'), ['a,b,c,d', ...rows].join('\n'));
  const [program, ...first] = process.argv[2] ? [process.argv[2]] : [process.execPath, 'dist/cli/main.js'];
  const pcae = (...args) =>
    JSON.parse(
      execFileSync(program, [...first, ...args, '--json'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
  const at = (name) => join(folder, name);
  pcae('train', at('rows.csv'), '-H', '2', '--epochs', '10', '-o', at('model.safetensors'));
  const { n, loss } = pcae('eval', at('model.safetensors'), at('rows.csv'));
  assert.equal(n, 60);
  assert(loss < 4 * Math.LN2);
  assert(readFileSync(at('model.safetensors')).length > 100);
  // The same rows as HDF5, which is read in a thread with a library of its own.
  await h5wasm.ready;
  const h5 = new h5wasm.File(at('rows.h5'), 'w');
  const bits = Uint8Array.from(rows.join(',').split(','), Number);
  h5.create_dataset({ name: 'X', data: bits, shape: [60, 4] });
  h5.close();
  assert.equal(pcae('eval', at('model.safetensors'), at('rows.h5')).loss, loss);
  const mean = losses.reduce((sum, one) => sum + one, 0) / losses.length;
  console.log(
    `${process.version}: digits ${mean.toFixed(6)} nats per row, the command's table ${loss.toFixed(6)}`,
  );
} finally {
  rmSync(folder, { recursive: true });
}

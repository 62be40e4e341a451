import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { crossEntropy } from '../../src/losses/cross-entropy.ts';
import { hamming } from '../../src/losses/hamming.ts';
import { squared } from '../../src/losses/squared.ts';
import { fit } from '../../src/model/fit.ts';
import { impute } from '../../src/model/impute.ts';
import type { PCAE } from '../../src/model/model.ts';
import { entry } from '../../src/rows/rows.ts';
import { lowRankRows } from '../low-rank.ts';

/** `python/pcae.py` against the library: the same models, rows and promises. In CI, Python must be there. */
const hasNumpy = process.env.CI === 'true' || spawnSync('python3', ['-c', 'import numpy']).status === 0;
if (!hasNumpy)
  console.warn('tests of python/pcae.py are skipped: install NumPy (Debian: apt-get install python3-numpy)');

const folder = mkdtempSync(join(tmpdir(), 'pcae-python-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [n, V, H] = [40, 30, 4];
const bits = lowRankRows(n, V, 5);
/** Rows as numbers, with some entries unknown. */
const cells = Array.from({ length: n }, (_, i) =>
  Array.from({ length: V }, (_, v) => ((i * V + v) % 7 === 0 ? Number.NaN : (1 + entry(bits, i, v)) / 2)),
);
const rows = { data: Float32Array.from(cells.flat()), n, V, missing: Number.NaN };

/** What the Python program finds; it is given `model`, `rows` and whatever else it needs by name. */
function python(program: string, model: PCAE, given: Record<string, unknown> = {}) {
  const path = join(folder, 'model.safetensors');
  writeFileSync(path, model.save());
  const text = `
import json, sys
sys.path.insert(0, "python")
import numpy as np, pcae
given = json.load(sys.stdin)
model = pcae.load(given["path"])
rows = np.array([[np.nan if one is None else one for one in row] for row in given["rows"]])
${program}`;
  const input = JSON.stringify({ path, rows: cells, ...given });
  return JSON.parse(execFileSync('python3', ['-c', text], { input, encoding: 'utf8' }));
}

describe.skipIf(!hasNumpy)('python/pcae.py', () => {
  it.each([
    ['box', crossEntropy],
    ['real', crossEntropy],
    ['nonnegative', crossEntropy],
    ['simplex', crossEntropy],
    ['ball', crossEntropy],
    ['box', squared],
  ] as const)('finds and proves the codes of the library: %s', async (encoding, loss) => {
    const columnWeights = Float32Array.from({ length: V }, (_, v) => 0.5 + (v % 3));
    const model = await fit(rows, { H, encoding, loss, columnWeights, epochs: 20, seed: 2 });
    // Squared error bends in jumps: its proofs take many more steps to the same tolerance.
    const tolerance = loss === squared ? 1e-3 : 1e-5;
    const ours = await model.encode(rows, { tolerance });
    const theirs = python(
      'found = model.encode(rows, given["tolerance"])\nprint(json.dumps([one.tolist() for one in found]))',
      model,
      { tolerance },
    );
    const [codes, losses, gaps] = theirs as [number[][], number[], number[]];
    expect(Math.max(...gaps)).toBeLessThanOrEqual(tolerance);
    // Two codes that are both proven to be so close to the same best loss.
    const apart = losses.map((found, i) => Math.abs(found - ours.losses[i]));
    expect(Math.max(...apart)).toBeLessThanOrEqual(tolerance);
    const measured = await model.evaluate(rows);
    expect(losses.reduce((sum, one) => sum + one, 0) / n).toBeCloseTo(measured.loss, 1);
    expect(codes[0]).toHaveLength(H);
  });

  it('decodes as the library does, whatever the loss, sparse weights included', async () => {
    for (const loss of [crossEntropy, squared, hamming]) {
      const model = await fit(rows, {
        H,
        loss,
        epochs: 5,
        seed: 2,
        ...(loss === crossEntropy && { l1: 0.2 }),
      });
      const codes = Float32Array.from({ length: 3 * H }, (_, k) => Math.sin(k));
      const nested = [0, 1, 2].map((i) => [...codes.subarray(i * H, (i + 1) * H)]);
      const program = 'print(json.dumps(model.decode(np.array(given["codes"])).tolist()))';
      const found: number[][] = python(program, model, { codes: nested });
      const ours = await model.decode(codes);
      const apart = found.flat().map((one, k) => Math.abs(one - ours[k]));
      expect(Math.max(...apart)).toBeLessThan(1e-5);
    }
  });

  it('fills in what is unknown as the library does', async () => {
    const model = await fit(rows, { H, epochs: 20, seed: 2 });
    for (const shrink of [0.5, 3]) {
      const { values } = await impute(model, rows, { shrink });
      const found: number[][] = python(`print(json.dumps(model.fill(rows, ${shrink}).tolist()))`, model);
      // The library's codes are found in float32, to a looser tolerance: single entries may differ more.
      const differences = found.flat().map((p, k) => Math.abs(p - (1 + values[k]) / 2));
      expect(differences.reduce((sum, one) => sum + one, 0) / (n * V)).toBeLessThan(0.01);
      for (const [k, cell] of cells.flat().entries())
        if (!Number.isNaN(cell)) expect(found.flat()[k]).toBe(cell);
    }
  });

  it('does what docs/python.md says', async () => {
    const [, program] = /```python\n([\s\S]*?)```/.exec(readFileSync('docs/python.md', 'utf8'))!;
    writeFileSync(join(folder, 'model.safetensors'), (await fit(rows, { H, epochs: 20, seed: 2 })).save());
    const table = `import numpy as np; np.save('rows.npy', np.arange(${5 * V}).reshape(5, ${V}) % 3 == 0)`;
    const options = {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PYTHONPATH: resolve('python') },
    } as const;
    execFileSync('python3', ['-c', table], options);
    expect(execFileSync('python3', ['-c', program], options)).toMatch(/^\d+\.\d\d nats per row\n$/);
  });

  it('refuses what it does not know with a sentence', async () => {
    const model = await fit(rows, { H, encoding: 'bits', seed: 2, epochs: 5 });
    const said = python(
      'try: model.encode(rows)\nexcept ValueError as error: print(json.dumps(str(error)))',
      model,
    );
    expect(said).toMatch(/use pcae encode/);
    const wide = python(
      'try: model.decode(np.zeros((2, 9)))\nexcept ValueError as error: print(json.dumps(str(error)))',
      model,
    );
    expect(wide).toBe(`codes must be n x ${H}, not 2 x 9`);
  });
});

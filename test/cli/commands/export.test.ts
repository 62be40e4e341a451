import { existsSync, readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { memoryBytes } from '../../../src/formats/bytes.ts';
import { openSource } from '../../../src/formats/node/open.ts';
import { npyHeader } from '../../../src/formats/npy.ts';
import { PCAE } from '../../../src/model/model.ts';
import { loadModel } from '../../../src/node/load-model.ts';
import { learnedPatterns, pcae } from '../helpers.ts';

const { at, V, names, model } = learnedPatterns();

describe('export', () => {
  it('writes arrays that decode as the model does', async () => {
    const path = at('model.json');
    expect((await pcae(['export', model, '-o', path])).code).toBe(0);
    const { W, bias } = JSON.parse(readFileSync(path, 'utf8')) as { W: number[][]; bias: number[] };
    const code = [0.3, -0.2, 0.1];
    const decoded = await (await loadModel(model, { as: PCAE })).decode(Float32Array.from(code));
    W.forEach((w, v) => {
      const score = w.reduce((sum, x, h) => sum + x * code[h], bias[v]);
      expect(decoded[v]).toBeCloseTo(Math.tanh(score / 2), 4);
    });
  });

  it('writes an archive of arrays with the documented shapes', async () => {
    const path = at('model.npz');
    expect((await pcae(['export', model, '-o', path])).code).toBe(0);
    expect(await openSource(path, { variable: 'B', values: 'signs' })).toMatchObject({ n: V, V: 3 });
    const files = unzipSync(readFileSync(path));
    const shapes: Record<string, readonly number[]> = { W: [V, 3], bias: [V], B: [V, 3], means: [V] };
    for (const [name, shape] of Object.entries(shapes)) {
      const bytes = files[`${name}.npy`];
      const header = await npyHeader(memoryBytes(name, bytes));
      expect(header).toMatchObject({ descr: '<f4', fortran: false, shape });
      expect(bytes.length - header.offset).toBe(4 * shape.reduce((a, b) => a * b));
    }
    expect(Object.keys(files).sort()).toEqual(['B.npy', 'W.npy', 'about.npy', 'bias.npy', 'means.npy']);
    const about = await npyHeader(memoryBytes('about', files['about.npy']));
    expect(about.shape).toEqual([]);
    const letters = files['about.npy'].slice(about.offset);
    const text = String.fromCodePoint(...new Uint32Array(letters.buffer));
    expect(about.descr).toBe(`<U${text.length}`);
    expect(JSON.parse(text)).toMatchObject({ format: 'pc-ae', V, H: 3, columns: names });
    const { W } = await loadModel(model, { as: PCAE });
    const first = new DataView(files['bias.npy'].buffer, files['bias.npy'].byteOffset + 128).getFloat32(
      0,
      true,
    );
    expect(first).toBe(W[3]);
    expect((await pcae(['export', model, '-o', at('model.txt')])).code).toBe(2);
    expect(existsSync(at('model.txt'))).toBe(false);
  });
});

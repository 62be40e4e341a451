import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as library from '../../src/index.ts';
import { PCAE } from '../../src/model/model.ts';
import * as node from '../../src/node.ts';

const folder = mkdtempSync(join(tmpdir(), 'pcae-models-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const data = Uint8Array.from({ length: 400 }, (_, k) => Number((k * 7 + (k >> 3)) % 5 < 2));

describe('pc-ae/node', () => {
  it('adds files and threads to all that the library has', () => {
    for (const name of Object.keys(library)) expect(node).toHaveProperty(name);
    for (const name of [
      'createEngine',
      'openSource',
      'saveModel',
      'loadModel',
      'checkpointFile',
      'writeAtomic',
    ]) {
      expect(node).toHaveProperty(name, expect.any(Function));
    }
  });

  it('saves a model and loads it again, on threads', async () => {
    const engine = await node.createEngine({ threads: 2 });
    const model = await node.fit({ data, n: 50, V: 8 }, { H: 2, epochs: 3, engine });
    await engine.close();
    const path = join(folder, 'model.safetensors');
    await node.saveModel(path, model);
    const loaded = await node.loadModel(path, { as: PCAE });
    expect(loaded.W).toEqual(model.W);
    expect(loaded.B).toEqual(model.B);
    expect(loaded.training).toEqual(model.training);

    const bytes = readFileSync(path);
    await expect(node.saveModel(path, model)).rejects.toThrow('already exists');
    expect(readFileSync(path).equals(bytes)).toBe(true);
    await node.saveModel(path, model, { force: true });
    expect(readdirSync(folder)).toEqual(['model.safetensors']);
    const save = node.saveModel as unknown as (...given: unknown[]) => Promise<void>;
    for (const given of [[model, path], [path], [undefined, model]])
      await expect(save(...given)).rejects.toThrow("as in saveModel('model.safetensors', model)");
  });

  it('opens rows like those that a model learned from, whatever the order of their columns', async () => {
    const lines = Array.from({ length: 40 }, (_, i) => [i % 2, (i >> 1) % 2, i % 3 === 0 ? 1 : 0].join(','));
    const file = (name: string, header: string, rows: readonly string[]) => {
      writeFileSync(join(folder, name), `${[header, ...rows].join('\n')}\n`);
      return join(folder, name);
    };
    const table = file('table.csv', 'a,b,c', lines);
    const reversed = file(
      'reversed.csv',
      'c,notes,b,a',
      lines.map((line) => `${line[4]},some words,${line[2]},${line[0]}`),
    );
    const model = await node.fit(await node.openSource(table), { H: 1, epochs: 3 });
    const { loss } = await model.evaluate(await node.openSource(table));
    expect((await model.evaluate(await node.openSource(reversed, { like: model }))).loss).toBe(loss);
  });

  it('names the file that is missing or no model', async () => {
    await expect(node.loadModel(join(folder, 'none'), { as: PCAE })).rejects.toThrow(
      'none: there is no such file',
    );
    writeFileSync(join(folder, 'text'), 'hello, this is not a model');
    await expect(node.loadModel(join(folder, 'text'), { as: PCAE })).rejects.toThrow(/text, byte \d+: /);
    expect(() => library.load(readFileSync(join(folder, 'text')), { as: PCAE })).toThrow(library.FormatError);
  });
});

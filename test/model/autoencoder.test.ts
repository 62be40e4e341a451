import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { writeSafetensors } from '../../src/formats/safetensors.ts';
import type { Autoencoder } from '../../src/model/autoencoder.ts';
import { fit } from '../../src/model/fit.ts';
import { fitStack } from '../../src/model/fit-stack.ts';
import { load } from '../../src/model/load.ts';
import { PCAE } from '../../src/model/model.ts';
import { Stack } from '../../src/model/stack.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { toyRows } from '../training/toy.ts';

const rows = toyRows(120);
let engine: Engine;
const files = new Map<string, Uint8Array>();
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
  files.set('model', (await fit(rows, { H: 3, epochs: 4, engine })).save());
  files.set('stack', (await fitStack(rows, { layers: [6, 3], epochs: 4, rounds: 2, engine })).save());
});
afterAll(() => engine.close());

describe.each(['model', 'stack'])('what a file holds: a %s', (kind) => {
  it('encodes, decodes and is measured', async () => {
    const found: Autoencoder = load(files.get(kind)!, { name: kind });
    expect(found).toBeInstanceOf(kind === 'stack' ? Stack : PCAE);
    expect([found.V, found.H]).toEqual([rows.V, 3]);
    let [n, loss] = [0, 0];
    for await (const part of found.encodeSource(memorySource(rows), { engine })) {
      expect(await found.decode(part.codes, { engine })).toHaveLength(part.n * rows.V);
      for (let i = 0; i < part.n; i++) loss += part.losses[i];
      n += part.n;
    }
    const report = await found.evaluate(rows, { engine });
    expect(report.n).toBe(n);
    expect(report.loss).toBeCloseTo(loss / n, 4);
    expect(report.hamming).toBeGreaterThan(0);
    expect('bound' in report).toBe(kind === 'model');
  });

  it('is saved as it was read', () => {
    const bytes = files.get(kind)!;
    expect(load(bytes).save()).toEqual(bytes);
  });
});

it('names a file that holds neither', () => {
  expect(() => load(new Uint8Array(4), { name: 'short' })).toThrow(/^short.*too short/);
  expect(() => load(writeSafetensors([]), { name: 'other' })).toThrow(/^other.*not a model of ours/);
});

it('tells a stack from a model of one layer where only the latter will do', () => {
  expect(() => load(files.get('stack')!, { as: PCAE, name: 's' })).toThrow(/^s.*holds a stack of layers/);
});

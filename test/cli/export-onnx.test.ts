import { readFileSync } from 'node:fs';
import * as ort from 'onnxruntime-web';
import { beforeAll, describe, expect, it } from 'vitest';
import { patterns, pcae, readLines, workFolder, writeCsv } from './helpers.ts';

const at = workFolder();
const rows = patterns(60, 20);

beforeAll(async () => {
  ort.env.wasm.numThreads = 1;
  writeCsv(at('data.csv'), rows);
  const train = ['train', at('data.csv'), '-H', '3', '--epochs', '20', '-o', at('m.safetensors')];
  expect(await pcae(train)).toMatchObject({ code: 0 });
});

describe('export to ONNX', () => {
  it('writes an encoder and a decoder that do what encode and decode do', async () => {
    const model = at('m.safetensors');
    const encoder = ['--onnx', 'encoder', '--steps', '80', '--held-out', at('data.csv')];
    expect(await pcae(['export', model, ...encoder, '-o', at('e.onnx')])).toMatchObject({ code: 0, err: '' });
    const ran = await pcae(['export', model, '-o', at('d.onnx'), '--json']);
    expect(ran.json()).toMatchObject({ format: 'onnx', V: 20, H: 3 });
    expect(readFileSync(at('e.onnx'), 'latin1')).toMatch(
      /pc-ae\.accuracy.{2,3}\{"n":60,"loss":[\d.]+,"excess"/s,
    );

    const { codes } = await runOnnx('e.onnx', 'rows', Float32Array.from(rows.flat()), 20);
    const { probabilities } = await runOnnx('d.onnx', 'codes', codes, 3);
    expect(await pcae(['reconstruct', model, at('data.csv'), '-o', at('r.csv')])).toMatchObject({ code: 0 });
    const expected = readLines(at('r.csv'))
      .slice(-60)
      .flatMap((line) => line.split(',').map(Number));
    const worst = Math.max(...expected.map((p, k) => Math.abs(p - probabilities[k])));
    expect(worst).toBeLessThan(0.1);
  });

  it('says which options belong to the encoder', async () => {
    const ran = await pcae(['export', at('m.safetensors'), '-o', at('x.onnx'), '--steps', '5']);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('--onnx encoder');
  });
});

async function runOnnx(name: string, input: string, data: Float32Array, columns: number) {
  const session = await ort.InferenceSession.create(new Uint8Array(readFileSync(at(name))));
  const feeds = { [input]: new ort.Tensor('float32', data, [data.length / columns, columns]) };
  const outputs = await session.run(feeds);
  return Object.fromEntries(Object.entries(outputs).map(([key, value]) => [key, value.data as Float32Array]));
}

import type { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { documentationOf } from '../../src/cli/document.ts';
import { reference } from '../../src/cli/reference.ts';
import { createProgram } from '../../src/cli/run.ts';
import { patterns, pcae, silentIo, workFolder, writeCsv } from './helpers.ts';

const at = workFolder();
const data = at('data.csv');
const program = await createProgram(silentIo());
const fields = (name: string) => {
  const command = program.commands.find((one: Command) => one.name() === name)!;
  return Object.keys(documentationOf(command)?.json ?? {});
};

beforeAll(async () => {
  writeCsv(data, patterns(60, 8));
  for (const argv of [
    ['train', data, '-H', '2', '--epochs', '2', '-o', at('box.safetensors')],
    ['train', data, '-H', '2', '--encoding', 'bits', '--epochs', '4', '-o', at('bits.safetensors')],
    ['train', data, '--layers', '3,2', '--epochs', '1', '-o', at('stack.safetensors')],
    ['encode', at('box.safetensors'), data, '-o', at('codes.npy')],
  ]) {
    const { code, err } = await pcae(argv);
    expect(code, err).toBe(0);
  }
});

describe('the fields of --json are documented', () => {
  const [box, bits, stack] = ['box', 'bits', 'stack'].map((name) => at(`${name}.safetensors`));
  it.each([
    ['train', data, '-H', '2', '--epochs', '2', '--l1', '0.01', '-o', at('1.safetensors')],
    ['train', data, '--layers', '3,2', '--epochs', '1', '--validation', '0.2', '-o', at('2.safetensors')],
    ['eval', box, data, '--draws', '2'],
    ['eval', bits, data],
    ['eval', stack, data],
    ['eval', box, data, '--measure-drift'],
    ['train', data, '-H', '2', '--epochs', '2', '--calibrate', '0.3', '-o', at('3.safetensors')],
    ['calibrate', box, data, '--learned', '-o', at('4.safetensors')],
    ['encode', box, data, '-o', at('c.npy')],
    ['decode', box, at('codes.npy'), '-o', at('d.npy')],
    ['reconstruct', box, data, '-o', at('r.npy')],
    ['reconstruct', box, data, '--fill', '-o', at('i.npy')],
    ['inspect', box],
    ['inspect', stack],
    ['inspect', box, '--drift', '0.1', '--dearest', '2'],
    ['generate', box, '-n', '2', '--steps', '1', '-o', at('g.bits')],
    ['train', data, '--codes', at('codes.npy'), '-o', at('f.safetensors')],
    ['export', box, '--onnx', 'encoder', '--held-out', data, '-o', at('e.onnx')],
    ['sweep', data, '-H', '1,2', '--epochs', '1', '-o', at('s.svg')],
    ['sweep', data, '-H', '2', '--l1', '0,0.1', '--epochs', '1'],
    ['eval', bits, data, '--report', at('r.html')],
    ['convert', data, at('v.bits')],
  ])('%s', async (...argv) => {
    const ran = await pcae([...argv, '--json']);
    expect(ran.code, ran.err).toBe(0);
    const known = fields(argv[0]);
    for (const field of Object.keys(ran.json())) expect(known, field).toContain(field);
  });
});

it('defaults are shown as they are typed', () => {
  const text = reference(program);
  expect(text).not.toContain('[object Object]');
  expect(text).toMatch(/--corruption <kind:share>.*mask, flip, salt or hide.*\| flip:0\.1 \|/);
});

it('the ONNX encoder says what was measured of it', async () => {
  const argv = ['export', at('box.safetensors'), '--onnx', 'encoder', '--held-out', data, '--force'];
  const { accuracy } = (await pcae([...argv, '-o', at('a.onnx'), '--json'])).json() as Record<
    string,
    unknown
  >;
  expect(accuracy).toMatchObject({ n: 60, excess: { mean: expect.any(Number), max: expect.any(Number) } });
  expect((await pcae([...argv, '-o', at('a.onnx')])).out).toMatch(
    /cost more than the best ones by: mean .*\(60 rows/,
  );
});

it('a sweep says where its plot is', async () => {
  const { out } = await pcae(['sweep', data, '-H', '1,2', '--epochs', '1', '-o', at('plot.svg')]);
  expect(out).toContain(`${at('plot.svg')}: the plot`);
});

it('a decoder learned without a ridge is proven by its slack; its loss may be weighted', async () => {
  const argv = ['train', data, '--codes', at('codes.npy'), '--force', '-o', at('w.safetensors')];
  const none = await pcae([...argv, '--ridge', '0']);
  expect(none.out).toMatch(/certified gap .* no weights whatever are better/);
  expect((await pcae([...argv, '--ellipsoid', '0.9'])).out).toMatch(/certified gap +[0-9]/);
  expect((await pcae([...argv, '--loss', 'cost:2,1'])).code).toBe(0);
  expect((await pcae([...argv, '--loss', 'nonsense'])).code).toBe(2);
});

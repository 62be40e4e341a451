import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { stackText } from '../../../src/cli/commands/train-stack.ts';
import { load } from '../../../src/model/load.ts';
import { Stack } from '../../../src/model/stack.ts';
import { patterns, pcae, readLines, workFolder, writeCsv } from '../helpers.ts';

const at = workFolder();
const V = 20;
const names = Array.from({ length: V }, (_, v) => `q${v}`);
const stack = at('stack.safetensors');
const training = (output: string, ...more: string[]) => [
  ...['train', at('rows.csv'), '--layers', '6,2', '-o', output, '--epochs', '10', '--threads', '1'],
  ...more,
];

beforeAll(async () => {
  writeCsv(at('rows.csv'), patterns(160, V), names);
  const ran = await pcae(['--json', ...training(stack, '--validation', '0.2')]);
  expect(ran.code, ran.err).toBe(0);
  expect(ran.json()).toMatchObject({ model: stack, n: 128, V, H: 2, layers: [6, 2], encoding: 'box' });
  expect(ran.json().validation).toBeGreaterThan(0);
});

describe('train --layers', () => {
  it('shows how far it has come', () => {
    const progress = { phase: 'round', number: 1, of: 20, fraction: 0.05, loss: 7, seconds: 1 } as const;
    expect(stackText(progress)).toBe('round 1 of 20: 5%, 19 s left  loss 7');
  });

  it('writes a stack in one file, which knows how its rows were read', () => {
    const { layers, columns, schema } = load(readFileSync(stack), { as: Stack });
    expect(layers.map(({ H }) => H)).toEqual([6, 2]);
    expect(columns).toEqual(names);
    expect(schema).toMatchObject({ values: 'bits', kind: 'bits' });
  });

  it('measures validation rows from a file', async () => {
    const ran = await pcae(['--json', ...training(at('v.safetensors'), '--validation', at('rows.csv'))]);
    expect(ran.json()).toMatchObject({ n: 160 });
    expect(ran.json().validation).toBeGreaterThan(0);
  });

  it.each([
    [['--resume'], /keeps no checkpoints: leave --resume out/],
    [['-H', '4'], /gives the sizes of all layers: leave --hidden out/],
    [['--encoding', 'bits'], /has box codes: leave --encoding out/],
    [['--loss', 'squared'], /learns with cross-entropy: leave --loss out/],
    [['--l1', '0.1'], /cannot be combined with --l1/],
    [['--no-bias'], /cannot be combined with --no-bias/],
    [['--noise', 'mask:0.2'], /cannot be combined with --noise/],
    [['--ridge', 'auto'], /--ridge must be a number/],
    [['--layers', '4'], /two sizes or more/],
  ])('refuses what would change nothing: %j', async (more, message) => {
    const ran = await pcae(training(at('none.safetensors'), ...more));
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(message);
  });

  it('asks for a size', async () => {
    const ran = await pcae(['train', at('rows.csv'), '-o', at('none')]);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(/-H 16, or --layers 64,16/);
  });

  it('shows on a terminal how far it has come, and Ctrl-C leaves nothing behind', async () => {
    const stop = new AbortController();
    const output = at('stopped.safetensors');
    const ran = await pcae(training(output), {
      terminal: true,
      signal: stop.signal,
      err: (text) => {
        if (text.includes('layer 1 of 2: 0%')) stop.abort();
      },
    });
    expect(ran.code).toBe(130);
    expect(ran.err).toMatch(/nothing was written/);
    expect(readdirSync(dirname(output)).filter((name) => name.startsWith('stopped'))).toEqual([]);
  });
});

describe('a stack in the place of a model', () => {
  it('encodes rows and decodes codes', async () => {
    const codes = at('codes.csv');
    const encoded = await pcae(['--json', 'encode', stack, at('rows.csv'), '-o', codes]);
    expect(encoded.code, encoded.err).toBe(0);
    expect(encoded.json()).toMatchObject({ n: 160, H: 2, output: codes });
    expect(encoded.json()).not.toHaveProperty('gap');
    const [header, ...lines] = readLines(codes);
    expect(header).toBe('h1,h2');
    expect(lines.every((line) => line.split(',').every((e) => Math.abs(Number(e)) <= 1))).toBe(true);

    const decoded = await pcae(['decode', stack, codes]);
    const reconstructed = await pcae(['reconstruct', stack, at('rows.csv')]);
    const [head, ...rows] = reconstructed.out.trimEnd().split('\n');
    expect(head).toBe(names.join(','));
    const numbers = (text: string) => text.split(',').map(Number);
    for (const [i, line] of decoded.out.trimEnd().split('\n').slice(1).entries()) {
      for (const [v, p] of numbers(line).entries()) expect(p).toBeCloseTo(numbers(rows[i])[v], 3);
    }
  });

  it('writes codes to standard output, and says how many', async () => {
    const { out, err, code } = await pcae(['encode', stack, at('rows.csv'), '--rows', '0:3']);
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n')).toHaveLength(4);
    expect(err).toBe('3 codes\n');
  });

  it('is measured by its loss and its wrong bits; proofs are left out', async () => {
    const { json } = await pcae(['--json', 'eval', stack, at('rows.csv')]);
    const report = json() as Record<string, unknown>;
    expect(report).toMatchObject({ n: 160 });
    expect(report.loss).toBeLessThan(V * Math.LN2);
    expect(report.hamming).toBeLessThan(V / 2);
    for (const field of ['bound', 'drift', 'gap', 'uncertified', 'tolerance']) {
      expect(report).not.toHaveProperty(field);
    }
    const { out } = await pcae(['eval', stack, at('rows.csv')]);
    expect(out).toMatch(/^loss .*nats per row/m);
    expect(out).toMatch(/^wrong bits/m);
    expect(out).not.toMatch(/bound|gap|undefined/);
  });

  it('matches columns by name', async () => {
    const turned = patterns(160, V).map((row) => [...row].reverse());
    writeCsv(at('turned.csv'), turned, [...names].reverse());
    const [a, b] = [
      await pcae(['--json', 'eval', stack, at('rows.csv')]),
      await pcae(['--json', 'eval', stack, at('turned.csv')]),
    ];
    expect(b.json().loss).toBe(a.json().loss);
  });

  it('fills in what is missing', async () => {
    const lines = readLines(at('rows.csv')).map((line, i) => (i === 1 ? line.replace(/^./, '') : line));
    writeFileSync(at('holes.csv'), `${lines.join('\n')}\n`);
    const { code, out, err } = await pcae(['reconstruct', stack, at('holes.csv'), '--fill']);
    expect(code, err).toBe(0);
    const filled = out.split('\n')[1].split(',').map(Number);
    expect(filled[0]).toBeGreaterThan(0);
    expect(filled[0]).toBeLessThan(1);
    expect(filled.slice(1)).toEqual(lines[1].split(',').slice(1).map(Number));
    const refused = await pcae(['reconstruct', stack, at('holes.csv'), '--fill', '--shrink', '1']);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('models of one layer') });
  });

  it('is inspected: its layers, and the units beside the columns', async () => {
    const { json } = await pcae(['--json', 'inspect', stack]);
    const found = json() as Record<string, unknown>;
    expect(found).toMatchObject({
      ...{ V, H: 2, layers: [6, 2], encoding: 'box', lossName: 'cross-entropy', columns: names },
      parameters: V * 7 + 6 * 3,
      training: { n: 128, rounds: 20, coupling: 256, seed: 1 },
    });
    expect(found.units).toHaveLength(6);
    const { out } = await pcae(['inspect', stack]);
    expect(out).toMatch(/hidden units +layers of 6, 2/);
    expect(out).not.toMatch(/bound|undefined/);
  });

  it.each([
    [['encode', stack, at('rows.csv'), '--tolerance', '0.1'], /those of a stack have no proof/],
    [['eval', stack, at('rows.csv'), '--bound'], /those of a stack have no proof/],
    [['eval', stack, at('rows.csv'), '--draws', '3'], /this is a stack/],
    [
      ['encode', stack, at('rows.csv'), '--effort', 'fast'],
      /--effort is for codes of bits; a stack has none/,
    ],
    [['reconstruct', stack, at('rows.csv'), '--tolerance', '1'], /no proof/],
    [['inspect', stack, '--drift', '0.1'], /--drift is for models of one layer/],
    [['encode', stack, at('rows.csv'), '--packed', '-o', at('no.npy')], /--packed is for codes of bits/],
  ])('refuses what has no meaning for it: %j', async (argv, message) => {
    const ran = await pcae(argv);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(message);
  });

  it.each([
    [['export', stack, '--onnx', 'decoder', '-o', at('no.onnx')]],
    [['generate', stack, '-n', '3']],
    [['eval', stack, at('rows.csv'), '--report', at('no.html')]],
  ])('is turned away where one layer is needed: %j', async (argv) => {
    const ran = await pcae(argv);
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(
      /stack\.safetensors: holds a stack of layers.*eval, encode, decode, .*take stacks too/,
    );
    expect(existsSync(at('no.onnx')) || existsSync(at('no.html'))).toBe(false);
  });
});

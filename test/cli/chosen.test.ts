import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PCAE } from '../../src/model/model.ts';
import { loadModel } from '../../src/node/load-model.ts';
import { patterns, pcae, workFolder, writeCsv } from './helpers.ts';

const at = workFolder();
const names = Array.from({ length: 12 }, (_, v) => `c${v}`);
writeCsv(at('data.csv'), patterns(160, 12), names);
const quick = ['-H', '4', '--epochs', '6', '--threads', '1', '--quiet', '--force'];
const train = (...options: string[]) => pcae(['train', at('data.csv'), ...quick, ...options]);

describe('pcae train with relaxed and chosen correlations', () => {
  it('learns sparse weights with --l1 and says how many are zero', async () => {
    const { code, json } = await train('--l1', '0.05', '-o', at('sparse.safetensors'), '--json');
    expect(code).toBe(0);
    const { zeros, l1, weightGap } = json();
    expect(zeros).toBeGreaterThan(0.1);
    expect(l1).toBe(0.05);
    expect(weightGap).toBeGreaterThanOrEqual(0);
    const { out } = await pcae(['inspect', at('sparse.safetensors')]);
    expect(out).toMatch(/weights +60, [\d.]+% of them zero/);
  });

  it('guarantees under the drift learned for, and names the dearest columns', async () => {
    const asked = ['inspect', at('sparse.safetensors'), '--drift', '0.01', '--dearest', '2'];
    const bounds = (await pcae([...asked, '--json'])).json().bounds as unknown as {
      drift: unknown;
      driftCost: number;
      dearest: { column: string; cost: number }[];
    }[];
    expect(bounds.map(({ drift }) => drift)).toEqual([0.01, 'l1']);
    expect(bounds[1].driftCost).toBeCloseTo(5 * bounds[0].driftCost, 6);
    expect(bounds[0].dearest).toHaveLength(2);
    expect(names).toContain(bounds[0].dearest[0].column);
    expect((await pcae(asked)).out).toMatch(/as learned \(0.05\)/);
  });

  it('reads eps for each column from a file', async () => {
    writeFileSync(at('eps.txt'), `${names.map((_, v) => (v < 6 ? 0.2 : 0)).join('\n')}\n`);
    expect((await train('--l1-file', at('eps.txt'), '-o', at('each.safetensors'))).code).toBe(0);
    const { W, training } = await loadModel(at('each.safetensors'), { as: PCAE });
    expect(training.l1).toHaveLength(12);
    expect(W.subarray(0, 30).filter((w) => w === 0).length).toBeGreaterThan(5);
    expect(W.subarray(30).includes(0)).toBe(false);
  });

  it('uses only the correlations of a mask, from a file', async () => {
    const mask = Array.from({ length: 12 }, (_, v) => [1, Number(v < 6), Number(v >= 6), 1]);
    writeCsv(at('mask.csv'), mask);
    expect((await train('--chosen', at('mask.csv'), '-o', at('masked.safetensors'))).code).toBe(0);
    const model = await loadModel(at('masked.safetensors'), { as: PCAE });
    expect([...model.chosen!]).toEqual(mask.flat());
    mask.flat().forEach((chosen, k) => {
      expect(model.W[Math.floor(k / 4) * 5 + (k % 4)] === 0).toBe(chosen === 0);
    });
    writeCsv(at('short.csv'), mask.slice(1));
    const { code, err } = await train('--chosen', at('short.csv'), '-o', at('no.safetensors'));
    expect(code).toBe(1);
    expect(err).toMatch(/holds 11 rows, expected one for each of the 12 columns of the data/);
    expect(existsSync(at('no.safetensors'))).toBe(false);
  });

  it('keeps the strongest units of each column', async () => {
    expect((await train('--keep-strongest', '2', '-o', at('two.safetensors'))).code).toBe(0);
    const { chosen } = await loadModel(at('two.safetensors'), { as: PCAE });
    for (let v = 0; v < 12; v++) {
      expect(chosen!.subarray(4 * v, 4 * v + 4).filter((one) => one).length).toBe(2);
    }
  });

  it.each([
    [['--keep-strongest', '9'], /more than the 4 units/],
    [['--keep-strongest', '2', '--local', '3'], /--local and --keep-strongest exclude each other/],
    [['--local', '3'], /--local needs pictures/],
    [['--local', '0x3'], /Expected a size in pixels/],
  ])('refuses %j', async (options, message) => {
    const { code, err } = await train(...options, '-o', at('no.safetensors'));
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});

describe('sweep --l1', () => {
  it('goes from dense to sparse, and writes the models', async () => {
    const asked = ['sweep', at('data.csv'), '--l1', '0.05,0', '--models', at('models'), ...quick];
    const { code, json } = await pcae([...asked, '--json']);
    expect(code).toBe(0);
    const steps = json().trials as unknown as {
      l1: number;
      zeros: number;
      model: string;
      heldOutLoss: number;
    }[];
    expect(steps.map(({ l1 }) => l1)).toEqual([0, 0.05]);
    expect(steps[1].zeros).toBeGreaterThan(steps[0].zeros);
    const model = await loadModel(steps[1].model, { as: PCAE });
    expect(model.training.l1).toBe(0.05);
    expect(model.columns).toEqual(names);
    const { out } = await pcae(asked);
    expect(out).toMatch(/l1 +train +held-out +zero weights +bound +seconds/);
  });
});

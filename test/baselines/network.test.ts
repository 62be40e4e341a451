import { describe, expect, it } from 'vitest';
import { type Inputs, Network, type Parameters } from '../../src/baselines/network.ts';
import type { Units } from '../../src/baselines/units.ts';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { entry, sliceRows } from '../../src/rows/rows.ts';
import { generator } from '../engine/problems.ts';
import { toyRows } from '../training/toy.ts';

/**
 * A step of Adam whose epsilon is huge moves every parameter by rate / epsilon times its gradient: so the
 * gradient that back-propagation found can be read off a step, and held against differences of the loss.
 */
const [epsilon, rate] = [1e6, 1e6];
const adam = { rate, epsilon, beta1: 0.9, beta2: 0.999 };
const rows = sliceRows(toyRows(7), 0, 7);
const H = 3;

function start(units: Units, seed: number, inputs: Inputs = 'zero-one'): Parameters {
  const random = generator(seed);
  const draw = (length: number) => Float32Array.from({ length }, () => random() - 0.5);
  return { V: rows.V, H, units, inputs, U: draw(rows.V * H), b: draw(H), W: draw(rows.V * (H + 1)) };
}

async function meanLoss(parameters: Parameters): Promise<number> {
  const network = new Network(referenceEngine(), parameters, 7);
  return (await network.loss(network.load(rows))) / 7;
}

describe('the network', () => {
  it.each([
    ['logistic', 'zero-one'],
    ['logistic', 'plus-minus'],
    ['relu', 'zero-one'],
  ] as const)('finds the gradient of the loss: %s units, inputs %s', async (units, inputs) => {
    const before = start(units, 11, inputs);
    const network = new Network(referenceEngine(), before, 7);
    expect((await network.step(network.load(rows), adam)) / 7).toBeCloseTo(await meanLoss(before), 3);
    const after = await network.parameters();
    for (const name of ['U', 'b', 'W'] as const) {
      for (let k = 0; k < before[name].length; k += Math.ceil(before[name].length / 25)) {
        const step = 2 ** -9;
        const at = async (sign: number) => {
          const moved = before[name].slice();
          moved[k] += sign * step;
          return meanLoss({ ...before, [name]: moved });
        };
        const slope = ((await at(1)) - (await at(-1))) / (2 * step);
        expect(before[name][k] - after[name][k], `${name} ${k}`).toBeCloseTo(slope, 2);
      }
    }
  });

  it.each([
    ['0 and 1', 'zero-one', 0],
    ['-1 and 1', 'plus-minus', -1],
  ] as const)('has codes f(U^T x + b) with inputs %s', async (_, inputs, off) => {
    const parameters = start('logistic', 5, inputs);
    const network = new Network(referenceEngine(), parameters, 7);
    const codes = await network.encode(network.load(rows, 2, 5));
    expect(codes).toHaveLength(3 * H);
    for (let h = 0; h < H; h++) {
      let a = parameters.b[h];
      for (let v = 0; v < rows.V; v++) a += (entry(rows, 2, v) === 1 ? 1 : off) * parameters.U[v * H + h];
      expect(codes[h]).toBeCloseTo(1 / (1 + Math.exp(-a)), 5);
    }
  });

  it('passes gradients straight through a sign near its threshold, and none far from it', async () => {
    const near = { ...start('sign', 3), U: new Float32Array(rows.V * H), b: Float32Array.of(0.5, -0.5, 40) };
    const network = new Network(referenceEngine(), near, 7);
    expect([...(await network.encode(network.load(rows)))].slice(0, H)).toEqual([1, -1, 1]);
    await network.step(network.load(rows), adam);
    const { b } = await network.parameters();
    expect(b[0]).not.toBe(0.5);
    expect(b[1]).not.toBe(-0.5);
    // tanh(20) is 1 to the last bit, and its slope 0.
    expect(b[2]).toBe(40);
  });
});

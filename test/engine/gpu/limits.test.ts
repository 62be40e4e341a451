import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { findGpu, findGpuEngine } from '../../../src/engine/gpu/engine.ts';
import { GpuEngine } from '../../../src/engine/gpu/operations.ts';
import { openPanel } from '../../../src/engine/gpu/panel.ts';
import { Processor } from '../../../src/engine/gpu/polish.ts';
import { lossAt, scores } from '../../../src/engine/reference/item.ts';
import { crossEntropy } from '../../../src/math.ts';
import { expectSolved, itemsOf, newton, systemOf } from '../newton-systems.ts';
import { makeProblem, place } from '../problems.ts';
import { LEAST, missing, pretendedCard, softwareDevice, softwareTools } from './device.ts';

const title = missing
  ? `the least that an adapter allows (skipped: ${missing})`
  : 'the least that an adapter allows, on SwiftShader';

describe.skipIf(missing && !process.env.CI)(title, { timeout: 120_000 }, () => {
  let gpu: Engine;
  beforeAll(async () => {
    ({ engine: gpu } = await softwareDevice(LEAST));
  });
  afterAll(() => gpu?.close());

  // Many columns leave a workgroup few threads, and weights of entries take a buffer.
  it("takes Newton's steps of many columns with weights", async () => {
    const problem = makeProblem({
      ...{ V: 1001, H: 18, n: 19, bias: true, kind: 'known', weighted: true, scale: 0.3, seed: 5 },
    });
    const systems = itemsOf(problem, 'codes', crossEntropy).map(systemOf);
    expectSolved(systems, await newton(gpu, problem, 'codes', crossEntropy), gpu.name);
  });

  it('has memory for proofs', async () => {
    const problem = makeProblem({
      ...{ V: 30, H: 18, n: 60, bias: true, kind: 'bits', weighted: false, scale: 0.1, seed: 5 },
    });
    const { objectives, gaps } = await gpu.bounds!(
      { ...place(gpu, problem).point, loss: crossEntropy },
      0,
      true,
    );
    itemsOf(problem, 'weights', crossEntropy).forEach((item, v) => {
      expect(objectives[v]).toBeCloseTo(lossAt(item, scores(item, item.z)), 4);
      expect(gaps[v]).toBeGreaterThan(0);
    });
  });

  it.each([
    ['box', 51],
    ['bits', 35],
  ] as const)('is chosen for codes that it holds alone: %s, up to %i', async (encoding, most) => {
    const card = await pretendedCard(LEAST);
    const find = (H: number) => findGpuEngine({ gpu: card }, { encoding, H });
    expect(await find(most + 1)).toBeUndefined();
    expect(await findGpu({ gpu: card, codes: { encoding, H: most + 1 } })).toBeUndefined();
    expect(await findGpu({ gpu: card, codes: { encoding, H: most } })).toEqual({
      name: 'a card',
      software: false,
    });
    const engine = await find(most);
    expect(engine?.name).toBe('gpu (a card)');
    await engine?.close();
  });

  it('refuses sums that a workgroup has no memory for', async () => {
    await expect(gpu.gram(gpu.floats(600), 2, 300)).rejects.toThrow(/does not do sums for 300 units/);
    expect(gpu.usable).toBe(true);
  });

  it('says how much a buffer can hold that programs can bind', async () => {
    expect(() => gpu.floats(2 ** 25 + 4)).toThrow(/holds at most 134217728 in one piece/);
    expect(gpu.usable).toBe(true);
  });
});

describe.skipIf(missing && !process.env.CI)('a panel on the GPU', () => {
  it('keeps residuals elsewhere where A^T r takes more than one turn', async () => {
    const tools = await softwareTools();
    // SwiftShader has no such workgroups: only the shape can be looked at.
    Object.assign(tools.dispatcher.open, { limits: { ...LEAST, maxComputeWorkgroupStorageSize: 2 ** 16 } });
    const engine = new GpuEngine(tools, new Processor(() => Promise.reject(new Error('not needed'))));
    const residuals = (H: number) => {
      const problem = makeProblem({
        ...{ V: 9, H, n: 5, bias: true, kind: 'bits', weighted: false, scale: 1, seed: 5 },
      });
      const { point } = place(engine, problem);
      return openPanel(tools, 'codes', { ...point, loss: crossEntropy }, 3).spec.residuals;
    };
    expect(residuals(500)).toBe('room');
    expect(residuals(600)).toBe('memory');
    await engine.close();
  });
});

import { describe, expect, it } from 'vitest';
import { PCAE } from '../../../src/model/model.ts';
import { loadModel } from '../../../src/node/load-model.ts';
import { learnedPatterns, pcae } from '../helpers.ts';

const { V, names, model } = learnedPatterns();

describe('inspect', () => {
  it('adds the cost of the drift to the bound', async () => {
    const { training, bounds } = (
      await pcae(['inspect', model, '--drift', '0,0.01', '--json'])
    ).json() as unknown as {
      training: { loss: number };
      bounds: { drift: number; bound: number; driftCost: number }[];
    };
    expect(bounds[0]).toMatchObject({ drift: 0, bound: training.loss, driftCost: 0 });
    const { W } = await loadModel(model, { as: PCAE });
    const cost = W.reduce((sum, w) => sum + 0.005 * Math.abs(w), 0);
    expect(bounds[1].driftCost).toBeCloseTo(cost, 6);
    expect((await pcae(['inspect', model, '--drift', '-1'])).code).toBe(2);
  });

  it('names the columns with the largest weights', async () => {
    const { units } = (await pcae(['inspect', model, '--features', '2', '--json'])).json() as unknown as {
      units: { on: { column: string; weight: number }[] }[];
    };
    const { W } = await loadModel(model, { as: PCAE });
    const first = Array.from({ length: V }, (_, v) => W[v * 4]);
    expect(units).toHaveLength(3);
    expect(units[0].on[0]).toEqual({
      column: names[first.indexOf(Math.max(...first))],
      weight: Math.max(...first),
    });
    expect((await pcae(['inspect', model])).out).toContain('+bit');
    const none = await pcae(['inspect', model, '--features', '0']);
    expect(none.code, none.err).toBe(0);
    expect(none.out).not.toContain('bit0');
  });
});

import { afterAll, expect, it } from 'vitest';
import { encodingOf } from '../../../src/encodings/by-name.ts';
import { createEngine } from '../../../src/engine/node/index.ts';
import { fit } from '../../../src/model/fit.ts';
import { sliceRows } from '../../../src/rows/rows.ts';
import { ImaginedRows } from '../../../src/training/further/imagined-rows.ts';
import { lowRankRows } from '../../low-rank.ts';

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

it('resist what codes cannot follow, as rows that were learned do, and nothing else', async () => {
  const [H, V, width] = [3, 20, 4];
  const rows = sliceRows(lowRankRows(400, V, 5), 0, 300);
  const model = await fit(rows, { H, encoding: 'real', engine });
  const { W, B, moments, curvature, reconstructionLoss: loss, training } = model;
  const before = { n: 300, loss: training.loss, W, B, moments: moments!, curvature };
  const settings = {
    shape: { V, H, bias: true },
    encoding: encodingOf('real'),
    radius: model.radius,
    loss,
    ridge: 0,
    seed: 1,
  };
  const imagined = await ImaginedRows.open(engine, before, settings);
  expect(await imagined.cost(W)).toBeLessThan(1e-3);
  // Units that are turned and stretched a little: codes turn the other way.
  const turned = W.map((w, k) => {
    if (k % width === H) return w;
    return w + 0.1 * W[k - (k % width) + (((k + 1) % width) % H)];
  });
  const across = W.map((w, k) => w + 0.1 * Math.sin(3 * k) * Math.abs(w));
  const [free, dear] = [await imagined.cost(turned), await imagined.cost(across)];
  expect(free).toBeLessThan(0.02 * dear);
  expect(dear).toBeGreaterThan(0.01);
  imagined.free();
});

import { describe, expect, it } from 'vitest';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { fit } from '../../src/model/fit.ts';
import { PCAE } from '../../src/model/model.ts';
import { learningFigure } from '../../src/report/learning-figure.ts';
import { number } from '../../src/report/words.ts';
import { asRows } from '../../src/rows/input.ts';
import type { HistoryEntry } from '../../src/training/loop/history.ts';
import { patterns } from '../cli/helpers.ts';

const engine = referenceEngine();
const rows = asRows({ data: Uint8Array.from(patterns(40, 12).flat()), n: 40, V: 12 });

describe('how learning went', () => {
  it('says which loss the model has in the end, and what held the codes of learning back', async () => {
    const model = await fit(rows, { H: 3, epochs: 2, engine });
    const { caption } = learningFigure(model);
    expect(caption).toContain('while the ridge keeps codes small');
    expect(caption).toContain(`the training loss of the model, ${number(model.training.loss)} nats.`);
    const without = await fit(rows, { H: 3, epochs: 2, ridge: 0, engine });
    expect(learningFigure(without).caption).not.toContain('ridge');
  });

  it('draws the starts of bits apart, and not as losses of bits', async () => {
    const model = await fit(rows, { H: 3, epochs: 4, encoding: 'bits', engine });
    const at = (seconds: number, rate: number, slack?: number): HistoryEntry => ({
      ...{ epoch: seconds, seconds, loss: 3 + seconds, rate, slack },
    });
    const withHistory = (...history: HistoryEntry[]) =>
      learningFigure(new PCAE({ ...model, training: { ...model.training, history } }));
    const { svg, caption } = withHistory(
      at(1, 0.2),
      at(2, 0),
      at(3, 0.2),
      at(4, 0),
      at(5, 0, 4),
      at(6, 0, 3.9),
    );
    const lines = [...svg.matchAll(/<path class="line s(\d)"[^>]* d="M[\d. ]*(?:L[\d. ]*)+"/g)].map(
      ([, k]) => k,
    );
    expect(lines).toEqual(['0', '0', '1']);
    expect(svg).toContain('bits still undecided, a line for each start');
    expect(svg).toContain('training loss of bits');
    expect(svg).not.toContain('as rows are visited');
    expect(caption).toContain('Bits begin as numbers');
    expect(withHistory(at(1, 0, 4), at(2, 0, 3)).caption).not.toContain('Bits begin as numbers');
  });

  it('says nothing of learning that has left no history', async () => {
    const model = await fit(rows, { H: 3, epochs: 1, engine });
    const { svg, caption } = learningFigure(
      new PCAE({ ...model, training: { ...model.training, history: [] } }),
    );
    expect(svg).toContain('There is no history to show.');
    expect(caption).toBeUndefined();
  });
});

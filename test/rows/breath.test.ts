import { expect, it, vi } from 'vitest';
import { createEngine } from '../../src/engine/node/index.ts';
import { hamming } from '../../src/losses/index.ts';
import { fit } from '../../src/model/fit.ts';
import { PCAE } from '../../src/model/model.ts';
import { toyRows } from '../training/toy.ts';

it('gives the event loop turns between rows that are polished in plain JavaScript', async () => {
  const engine = await createEngine({ threads: 1 });
  const rows = toyRows(25);
  const model = await fit(rows, { H: 3, epochs: 2, certify: false, engine });
  const other = new PCAE({ ...model, reconstructionLoss: hamming });
  // A clock by which everything takes long.
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 100;
    return now;
  });
  let turns = 0;
  let running = true;
  const count = () => {
    turns++;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  await other.encode(rows, { engine, tolerance: 1e-6 });
  running = false;
  clock.mockRestore();
  await engine.close();
  // One turn may serve two of them.
  expect(turns).toBeGreaterThan(rows.n / 2);
});

import type { Engine } from '../../engine/engine.ts';
import type { Rows } from '../../rows/rows.ts';
import { likeness, products } from '../rehearse.ts';
import type { Settings } from '../settings.ts';
import { startRank } from '../start/start.ts';
import { BitPhases } from './phases.ts';

/** `../rehearse.ts` for learning true bits. */
export async function rehearse(stage: Engine, training: Rows, settings: Settings): Promise<void> {
  const rows = likeness(training);
  if (!rows) return;
  const { H, ridge, loss, certify } = settings;
  const { V } = rows;
  const block = stage.load(rows);
  const phases = new BitPhases(stage, block, settings, true);
  const at = phases.point();
  await products(stage, block, startRank(V, H));
  for await (const _ of phases.relaxEpoch(() => 0)) break;
  await phases.decide();
  for await (const _ of phases.searchRound()) break;
  await phases.endEpoch();
  await phases.meanLoss();
  await phases.settle();
  await phases.meanGap();
  await products(stage, block, phases.width);
  if (certify && stage.newtonian(loss, H)) {
    await stage.newton('weights', at, { ridge, move: true });
    await stage.bounds?.(at, ridge, true);
  }
}

import type { Engine } from '../../engine/engine.ts';
import type { Rows } from '../../rows/rows.ts';
import { likeness, products } from '../rehearse.ts';
import type { Settings } from '../settings.ts';
import { startRank } from '../start/start.ts';
import { BitsTrainer } from './trainer.ts';

/** `../rehearse.ts` for learning true bits. */
export async function rehearse(stage: Engine, training: Rows, settings: Settings): Promise<void> {
  const rows = likeness(training);
  if (!rows) return;
  const { H, ridge, loss, certify } = settings;
  const { V } = rows;
  const block = stage.load(rows);
  const trainer = new BitsTrainer(stage, block, settings, true);
  const at = trainer.point();
  await products(stage, block, startRank(V, H));
  for await (const _ of trainer.relaxEpoch(() => 0)) break;
  await trainer.decide();
  for await (const _ of trainer.searchRound()) break;
  await trainer.endEpoch();
  await trainer.meanLoss();
  await trainer.settle();
  await trainer.meanGap();
  await products(stage, block, trainer.width);
  if (certify && stage.newtonian(loss, H)) {
    await stage.newton('weights', at, { ridge, move: true });
    await stage.bounds?.(at, ridge, true);
  }
}

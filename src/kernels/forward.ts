import { residualsAlone, scoresAlone } from './alone';
import { Job } from './job';
import { residuals } from './loss';
import { Panel } from './panel';
import { scores } from './product';

/** Rows whose scores are still in the first-level cache when their residuals are taken. */
const ROWS: u32 = 64;

/** M = A z and the residuals R at M, and the curvatures C where `curved`, a few rows at a time. */
export function scoresAndResiduals(job: Job, panel: Panel, curved: bool): void {
  const width = job.width;
  if (panel.alone) {
    scoresAlone(job.forward, panel.K, width, width, panel.Z, panel.M);
    return residualsAlone(job, panel);
  }
  for (let k: u32 = 0; k < panel.K; k += ROWS) {
    const rows = min(ROWS, panel.K - k);
    const at = <usize>k << 5;
    const forward = job.forward + ((<usize>k * <usize>width) << 2);
    scores(forward, rows, width, width, panel.Z, panel.M + at);
    residuals(job, panel, at, at + (<usize>rows << 5), curved);
  }
}

/**
 * Finishes codes for cross-entropy and proves how far each is from its optimum: float32 Newton steps on eight
 * rows at a time, then float64 ones row by row until the proof is good enough (see `certify`).
 */
import { certifyRow } from './certify';
import { SHARE } from '../hessian';
import { Job } from '../job';
import { openOwn, ownBytes } from '../newton';
import { loadPanel } from '../load-panel';
import { openPanel, panelBytes, storePanel } from '../panel';
import { openRow, rowBytes } from './row';
import { minimise } from '../solve';

/** Steps in float32: rows that need more are few, and better off alone. */
const STEPS: u32 = 6;

export function polishBytes(job: Job): u32 {
  return panelBytes(job) + ownBytes(job) + rowBytes(job);
}

/** Works on the `unit`-th eight rows of the range, or on the `unit`-th row of the list. */
export function polishUnit(job: Job, unit: u32, scratch: usize): void {
  const panel = openPanel(job, scratch);
  const own = openOwn(job, scratch + panelBytes(job), SHARE, true);
  const row = openRow(job, scratch + panelBytes(job) + ownBytes(job), panel, own.picked);
  const listed = job.list != 0;
  const first = listed ? load<u32>(<usize>job.list + (<usize>unit << 2)) : job.start + (unit << 3);
  loadPanel(job, panel, first, listed ? first + 1 : job.end);
  // Float32 steps know the box only; codes of other sets come from their own method.
  if (!job.set) minimise(job, panel, own, min(job.steps, STEPS));
  const place = listed ? unit : unit << 3;
  for (let lane: u32 = 0; lane < panel.lanes; lane++) {
    certifyRow(job, row, lane, <usize>job.out + (<usize>(place + lane) << 4));
  }
  storePanel(job, panel);
}

/** Newton's step of each item in float32: its direction and decrement, and the move along it if asked for. */
import { Job } from './job';
import { SQUARE } from './lanes';
import { allSafe, startSearch } from './line-search';
import { openOwn, ownBytes } from './newton';
import { loadPanel } from './load-panel';
import { openPanel, panelBytes, scatter, storePanel, writeLanes } from './panel';
import { advance, aim, enter, follow, writeLosses } from './solve';

/**
 * Entries with less than this share of the largest curvature are left out of a step that is searched along:
 * its gradient is exact.
 */
const SHARE: f32 = 1e-3;

export function newtonBytes(job: Job): u32 {
  return panelBytes(job) + ownBytes(job);
}

/** Works on the items `first` to `end`; `steps` is 1 where they are to move, 0 where not. */
export function newtonPanel(job: Job, scratch: usize, first: u32, end: u32): void {
  const panel = openPanel(job, scratch);
  const own = openOwn(job, scratch + panelBytes(job), job.steps > 0 ? SHARE : 0, job.steps > 0);
  loadPanel(job, panel, first, end);
  enter(job, panel, own);
  aim(job, panel, own);
  if (job.gaps) writeLanes(panel, panel.state + SQUARE, job.gaps);
  if (job.out) {
    const stride = <usize>job.width << 2;
    scatter(panel.D, job.width, panel.lanes, <usize>job.out + <usize>first * stride, stride);
  }
  let searched = true;
  if (job.steps) {
    startSearch(job, panel);
    searched = !own.sampled || !allSafe(job, panel);
    if (searched) advance(job, panel);
    else follow(job, panel);
    storePanel(job, panel);
  }
  if (job.losses) writeLosses(job, panel, own.sampled && searched);
}

/**
 * The same for losses whose Psi has kinks, Hamming's for one. Steps are taken on smoothed hinges (wells.ts) that become
 * narrower whenever there is little left to gain, as the methods of interior points do: the gap that is left is about the
 * width times the number of bits that rest on a kink.
 */
import { boundHere, correctedBound } from './bounds';
import { Job } from './job';
import { get, look, prune, Row, set } from './row';
import { descend, direction, place, promised } from './step';
import { back64 } from './wide';

const DAMPING: f64 = 1e-7;
const MOST_DAMPING: f64 = 1;
const WORTHWHILE: f64 = 3;

/** A width is done with when the next step promises less than this share of it, or of the tolerance. */
const LITTLE: f64 = 0.03;
const NARROWING: f64 = 6;
const NARROWEST: f64 = 1e-7;

/** Leaves the best code met in `row.z` and its loss in `row.f`; the best bound. */
export function certifyKinked(job: Job, row: Row): f64 {
  row.smoothing = <f64>job.smoothing;
  let damping = DAMPING;
  let bound = row.floor;
  row.best = Infinity;
  row.f = look(job, row, row.m);
  keepBest(job, row);
  for (let step: u32 = 0; ; step++) {
    prune(job, row);
    back64(job.back, job.V, job.width, row.residual, row.g);
    bound = max(bound, boundHere(job, row));
    if (row.best - bound <= job.tolerance64) break;
    direction(job, row, damping, step == 0);
    place(job, row, 1);
    const gain = promised(job, row);
    const last = step >= 2 * job.steps;
    if (last || gain <= WORTHWHILE * job.tolerance64) bound = max(bound, correctedBound(job, row));
    if (last || row.best - bound <= job.tolerance64) break;
    const narrower = row.smoothing > NARROWEST;
    if ((gain > LITTLE * max(row.smoothing, job.tolerance64) || !narrower) && descend(job, row)) {
      keepBest(job, row);
      damping = max(DAMPING, damping / 100);
    } else if (narrower) {
      row.smoothing = row.smoothing / NARROWING;
      row.f = look(job, row, row.m);
    } else {
      damping *= 100;
      if (damping > MOST_DAMPING) break;
      look(job, row, row.m);
    }
  }
  memory.copy(row.z, row.bestCode, <usize>job.width << 3);
  row.f = row.best;
  return bound;
}

/** The smoothed function is lowered, the loss itself need not be. */
function keepBest(job: Job, row: Row): void {
  if (!(row.loss < row.best)) return;
  row.best = row.loss;
  memory.copy(row.bestCode, row.z, <usize>job.width << 3);
}

/**
 * Float64 projected Newton steps on the code of one row, with a proof of how far it is from the optimum.
 * Notation of Prop. 2; f is the loss in nats, t_v = weight_v / 2, C the set that codes are confined to. The
 * best bound met holds for whatever code is left at the end.
 */
import { boundHere, correctedBound } from './bounds';
import { boundOfFew, suitsFew } from './few';
import { Job } from '../job';
import { certifyKinked } from './kinks';
import { hasKinks, look, prune, Row, takeRow } from './row';
import { get } from '../vector';
import { descend, direction, place, promised } from './step';
import { back64, forward64 } from '../wide';

/**
 * Share of the Hessian's diagonal that is added to it, for what float32 has lost, or float64; and at most,
 * when steps keep failing.
 */
const DAMPING: f64 = 1e-5;
const PRECISE_DAMPING: f64 = 1e-11;
const MOST_DAMPING: f64 = 1;

/**
 * Steps after which, as after one that failed, the Hessian is taken in float64: where hardly more bits are
 * uncertain than there are units, it bends a hundred million times less in one direction than in another,
 * which float32 cannot see.
 */
const MANY: u32 = 30;

/** The corrected bound is worth its price when Newton's step expects to gain at most so many tolerances. */
const WORTHWHILE: f64 = 3;

/** Works on the row in a lane of the panel; its loss and gap go to `out`. */
export function certifyRow(job: Job, row: Row, lane: u32, out: usize): void {
  takeRow(job, row, lane);
  forward64(job.forward, job.V, job.width, row.z, row.m);
  const bound = hasKinks(job) ? certifyKinked(job, row) : certifySmooth(job, row);
  for (let h: u32 = 0; h < job.free; h++) {
    store<f32>(row.panel.Z + (<usize>h << 5) + row.lane, <f32>get(row.z, h));
  }
  store<f64>(out, row.f);
  store<f64>(out, max<f64>(0, row.f - bound), 8);
}

/** Leaves the code in `row.z` and its loss in `row.f`; the best bound. */
function certifySmooth(job: Job, row: Row): f64 {
  row.f = look(job, row, row.m);
  let bound = row.floor;
  let damping = DAMPING;
  for (let step: u32 = 0; row.f - bound > job.tolerance64; step++) {
    if (step == MANY && !row.precise) damping = bePrecise(row);
    back64(job.back, job.V, job.width, row.residual, row.g);
    bound = max(bound, boundHere(job, row));
    if (row.f - bound <= job.tolerance64) break;
    if (step == 0 && suitsFew(job)) {
      bound = max(bound, boundOfFew(job, row, DAMPING));
      if (row.f - bound <= job.tolerance64) break;
    }
    prune(job, row);
    direction(job, row, damping, step == 0);
    const last = step >= job.steps;
    place(job, row, 1);
    if (last || promised(job, row) <= WORTHWHILE * job.tolerance64) {
      bound = max(bound, correctedBound(job, row));
    }
    if (last || row.f - bound <= job.tolerance64) break;
    if (descend(job, row)) continue;
    damping = row.precise ? 100 * damping : bePrecise(row);
    if (damping > MOST_DAMPING) break;
    look(job, row, row.m);
  }
  return bound;
}

/** The damping to go on with. */
function bePrecise(row: Row): f64 {
  row.precise = true;
  return PRECISE_DAMPING;
}

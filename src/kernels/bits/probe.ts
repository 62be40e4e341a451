/**
 * Better bits for a panel of rows by way of quadratic models: the loss is expanded around a centre, a tabu
 * search on the model proposes codes, the loss itself chooses among them, and flips bring the choice to a
 * local optimum.
 *
 * Bits lie far apart: the curvature at the centre's scores alone would make the model too sure of itself
 * where they are large. It is taken at scores that are shrunk, which is about its mean over the scores of the
 * codes around.
 */
import { flipRow, loadRow, openRow, placeCode, Row, rowBytes } from './flip';
import { scoresAndResiduals } from '../forward';
import { hessian, pickedBytes } from '../hessian';
import { Job } from '../job';
import { residuals } from '../loss';
import { lossAlong } from '../loss-along';
import { Panel, panelBytes } from '../panel';
import { productBack } from '../product';
import { aligned } from '../simd';
import { beginTabu, openTabu, stretch, Tabu, tabuBytes } from './tabu';

const SHRINK: f32 = 0.7;
/** Entries with less than this share of the largest curvature are left out of the model. */
const SHARE: f32 = 0.02;

/** The panel, one row of it, the entries picked for its Hessian, the Hessian, the model. */
export function probeBytes(job: Job): u32 {
  return panelBytes(job) + rowBytes(job) + pickedBytes(job) + aligned((job.free * job.free) << 2) + tabuBytes(job.free);
}

/**
 * Codes in P to start from, centres in Z; leaves the codes found in both. Further expansions are around the
 * codes themselves.
 */
export function probeLanes(job: Job, panel: Panel, scratch: usize): void {
  const row = openRow(job, scratch + panelBytes(job));
  const picked = scratch + panelBytes(job) + rowBytes(job);
  const square = picked + <usize>pickedBytes(job);
  const tabu = openTabu(square + <usize>aligned((job.free * job.free) << 2), job.free);
  const bytes = <usize>job.free << 5;
  for (let expansion: u32 = 0; expansion < job.expansions; expansion++) {
    expand(job, panel);
    for (let l: u32 = 0; l < panel.lanes; l++) {
      const lane = <usize>l << 2;
      loadRow(job, panel, row, l, panel.P);
      hessian(job, picked, panel.C + lane, 32, square, 4, SHARE);
      beginTabu(tabu, job.free, square, SHRINK, panel.G + lane, panel.Z + lane, 32, row.e);
      probeRow(job, row, tabu);
      for (let h: u32 = 0; h < job.free; h++) {
        store<f32>(panel.P + (<usize>h << 5) + lane, load<f32>(row.e + (<usize>h << 2)));
      }
    }
    memory.copy(panel.Z, panel.P, bytes);
  }
}

/** G = the gradient at Z, C = the curvatures at the shrunk scores. */
function expand(job: Job, panel: Panel): void {
  scoresAndResiduals(job, panel, false);
  productBack(job.back, panel.K, job.free, panel.R, panel.G);
  const end = panel.M + (<usize>panel.K << 5);
  for (let M = panel.M; M < end; M += 16) v128.store(M, f32x4.mul(v128.load(M), f32x4.splat(SHRINK)));
  residuals(job, panel, 0, <usize>panel.K << 5, true);
}

/**
 * Stretch after stretch, the code that the model likes best is tried; the best of them takes the row's place.
 */
function probeRow(job: Job, row: Row, tabu: Tabu): void {
  const found = row.gain;
  let least = lossAlong(job, row.m, row.m, 0, row.x, row.t, row.count);
  let better = false;
  let before: f32 = Infinity;
  for (let k: u32 = 0; k < job.stretches; k++) {
    stretch(tabu, job.free, job.probes);
    // The same value again is the same code again.
    if (tabu.bestQ == before) continue;
    before = tabu.bestQ;
    memory.copy(row.half, row.m, <usize>row.count << 2);
    placeCode(job, row, tabu.best, row.half);
    const f = lossAlong(job, row.half, row.half, 0, row.x, row.t, row.count);
    if (!(f < least)) continue;
    least = f;
    better = true;
    memory.copy(found, tabu.best, <usize>job.free << 2);
  }
  if (better) {
    placeCode(job, row, found, row.m);
    for (let h: usize = 0; h < <usize>job.free; h++) {
      store<f32>(row.e + (h << 2), 0.5 * load<f32>(found + (h << 2)));
    }
  }
  flipRow(job, row);
}

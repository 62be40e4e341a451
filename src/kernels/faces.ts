/**
 * Conjugate gradients in a set that is no symmetric box: what its faces take out of gradients and directions,
 * and steps that would leave. On a face of the orthant or of the simplex directions stay within it, by a
 * symmetric projection on either side of the preconditioner, so that they descend whatever the preconditioner
 * is. The ball has no faces: steps that leave it are projected.
 */
import { BALL, Job, NONNEGATIVE, SIMPLEX } from './job';
import { ACTIVE, FRESH, get, LENGTH, SLOPE, set, TEMPORARY } from './lanes';
import { startSearch } from './line-search';
import { dot, Panel } from './panel';
import { projectLanes } from './sets';

/**
 * Takes out of G what presses against the boundary; coordinates that are held have gradient 0 from here on.
 */
export function holdGradient(job: Job, panel: Panel): void {
  if (job.set == BALL) return;
  for (let l: u32 = 0; l < 8; l++) {
    if (job.set == SIMPLEX) pressSimplex(job, panel, l);
    else {
      for (let h: u32 = 0; h < job.free; h++) {
        const g = get(panel.G + (<usize>h << 5), l);
        const z = get(panel.Z + (<usize>h << 5), l);
        if ((z <= 0 && g >= 0) || (z >= job.radius && g <= 0)) set(panel.G + (<usize>h << 5), l, 0);
      }
    }
  }
}

/** Takes the same out of another vector. */
export function holdFace(job: Job, panel: Panel, vector: usize): void {
  if (job.set == BALL) return;
  for (let l: u32 = 0; l < 8; l++) {
    let sum: f32 = 0;
    let count: f32 = 0;
    for (let h: u32 = 0; h < job.free; h++) {
      const row = <usize>h << 5;
      if (held(job, panel, h, l)) set(vector + row, l, 0);
      else {
        sum += get(vector + row, l);
        count++;
      }
    }
    if (job.set == NONNEGATIVE || count == 0) continue;
    for (let h: u32 = 0; h < job.free; h++) {
      const row = <usize>h << 5;
      if (!held(job, panel, h, l)) set(vector + row, l, get(vector + row, l) - sum / count);
    }
  }
}

@inline
function held(job: Job, panel: Panel, h: u32, l: u32): bool {
  const row = <usize>h << 5;
  const z = get(panel.Z + row, l);
  return get(panel.G + row, l) == 0 && (z <= 0 || z >= job.radius);
}

/** Shares of 0 whose gradient is above the mean of the others' stay 0; the others' gradients add up to 0. */
function pressSimplex(job: Job, panel: Panel, l: u32): void {
  let mean: f32 = 0;
  let last: u32 = 0;
  for (let round: u32 = 0; round <= job.free; round++) {
    let sum: f32 = 0;
    let count: u32 = 0;
    for (let h: u32 = 0; h < job.free; h++) {
      const g = get(panel.G + (<usize>h << 5), l);
      if (!(get(panel.Z + (<usize>h << 5), l) > 0) && (round == 0 || g >= mean)) continue;
      sum += g;
      count++;
    }
    if (count == last) break;
    last = count;
    mean = sum / <f32>count;
  }
  for (let h: u32 = 0; h < job.free; h++) {
    const row = <usize>h << 5;
    const g = get(panel.G + row, l) - mean;
    set(panel.G + row, l, !(get(panel.Z + row, l) > 0) && g >= 0 ? 0 : g);
  }
}

/**
 * Lanes that would leave the set follow their step projected on it, D' = project(Z + a D) - Z, on [0, 1];
 * where the projection is no descent, a projected gradient step is. As for the box, the other lanes keep
 * their step.
 */
export function followSet(job: Job, panel: Panel): void {
  const state = panel.state;
  let any = false;
  for (let l: u32 = 0; l < 8; l++) {
    const leaving = get(state + LENGTH, l) > 0 && leaves(job, panel, l);
    set(state + TEMPORARY, l, leaving ? 1 : 0);
    any = any || leaving;
  }
  if (!any) return;
  if (job.set != NONNEGATIVE) steepest(job, panel);
  else {
    for (let h: u32 = 0; h < job.free; h++) {
      const row = <usize>h << 5;
      for (let l: u32 = 0; l < 8; l++) {
        set(panel.P + row, l, get(panel.Z + row, l) + get(state + LENGTH, l) * get(panel.D + row, l));
      }
    }
  }
  turnTo(job, panel);
  dot(panel.G, panel.D, job.free, state + SLOPE);
  let lost = false;
  for (let l: u32 = 0; l < 8; l++) {
    if (get(state + TEMPORARY, l) == 0) continue;
    set(state + FRESH, l, 2);
    const fails = get(state + ACTIVE, l) > 0 && !(get(state + SLOPE, l) < 0);
    set(state + TEMPORARY, l, fails ? 1 : 0);
    lost = lost || fails;
  }
  if (lost) {
    for (let h: u32 = 0; h < job.free; h++) {
      const row = <usize>h << 5;
      for (let l: u32 = 0; l < 8; l++) {
        set(panel.P + row, l, get(panel.Z + row, l) - job.stepScale * get(panel.G + row, l));
      }
    }
    turnTo(job, panel);
  }
  startSearch(job, panel);
  for (let l: u32 = 0; l < 8; l++) {
    if (get(state + FRESH, l) > 1) set(state + LENGTH, l, min<f32>(1, get(state + LENGTH, l)));
  }
}

/**
 * P = Z - a G, as far as the step that left. On the sphere and on the simplex only the gradient itself knows
 * when to rest: projected, a preconditioned direction comes to a halt where it points along the normal, which
 * need not be the optimum. The orthant has its bounds coordinate by coordinate, and needs no such care.
 */
function steepest(job: Job, panel: Panel): void {
  for (let l: u32 = 0; l < 8; l++) {
    let direction: f32 = 0;
    let slope: f32 = 0;
    for (let h: u32 = 0; h < job.free; h++) {
      const row = <usize>h << 5;
      direction += get(panel.D + row, l) * get(panel.D + row, l);
      slope += get(panel.G + row, l) * get(panel.G + row, l);
    }
    const a = slope > 0 ? get(panel.state + LENGTH, l) * sqrt<f32>(direction / slope) : 0;
    for (let h: u32 = 0; h < job.free; h++) {
      const row = <usize>h << 5;
      set(panel.P + row, l, get(panel.Z + row, l) - a * get(panel.G + row, l));
    }
  }
}

/** D = project(P) - Z in the lanes marked. */
function turnTo(job: Job, panel: Panel): void {
  projectLanes(job, panel.P);
  for (let h: u32 = 0; h < job.free; h++) {
    const row = <usize>h << 5;
    for (let l: u32 = 0; l < 8; l++) {
      if (get(panel.state + TEMPORARY, l) == 0) continue;
      set(panel.D + row, l, get(panel.P + row, l) - get(panel.Z + row, l));
    }
  }
}

function leaves(job: Job, panel: Panel, l: u32): bool {
  const a = get(panel.state + LENGTH, l);
  let square: f32 = 0;
  for (let h: u32 = 0; h < job.free; h++) {
    const row = <usize>h << 5;
    const z = get(panel.Z + row, l) + a * get(panel.D + row, l);
    square += z * z;
    if (job.set != BALL && (z < 0 || z > job.radius)) return true;
  }
  return job.set == BALL && square > job.radius * job.radius;
}

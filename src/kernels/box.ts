/**
 * Codes that must stay in the box |z_h| <= radius: what a bound holds in place, and steps that would leave.
 */
import { Job } from './job';
import { ACTIVE, FRESH, get, LENGTH, REACH, SLOPE, set, TEMPORARY } from './lanes';
import { startSearch } from './line-search';
import { dot, Panel } from './panel';
import { madd } from './simd';

/** In place of FRESH: the step was along a conjugate direction projected on the box; the next is fresh. */
export const BENT: f32 = 3;

/** Zeroes what `vector` says about coordinates that are at a bound and whose gradient points outward. */
export function holdBounds(job: Job, panel: Panel, vector: usize): void {
  const radius = f32x4.splat(job.radius);
  const zero = f32x4.splat(0);
  const end = <usize>job.free << 5;
  for (let at: usize = 0; at < end; at += 16) {
    const z = v128.load(panel.Z + at);
    const inside = f32x4.lt(f32x4.abs(z), radius);
    if (v128.all_true<i32>(inside)) continue;
    // A held coordinate has gradient 0 from here on, so that later calls see it as held too.
    const g = v128.load(panel.G + at);
    const outward = v128.bitselect(f32x4.le(g, zero), f32x4.ge(g, zero), f32x4.gt(z, zero));
    v128.store(vector + at, v128.andnot(v128.load(vector + at), v128.andnot(outward, inside)));
  }
}

export function leavesBox(job: Job, panel: Panel): bool {
  const a0 = v128.load(panel.state + LENGTH);
  const a1 = v128.load(panel.state + LENGTH, 16);
  const radius = f32x4.splat(job.radius);
  let outside = f32x4.splat(0);
  const end = <usize>job.free << 5;
  for (let at: usize = 0; at < end; at += 32) {
    const z0 = madd(a0, v128.load(panel.D + at), v128.load(panel.Z + at));
    const z1 = madd(a1, v128.load(panel.D + at, 16), v128.load(panel.Z + at, 16));
    outside = v128.or(outside, f32x4.gt(f32x4.abs(z0), radius));
    outside = v128.or(outside, f32x4.gt(f32x4.abs(z1), radius));
  }
  return v128.any_true(outside);
}

/**
 * Lanes that would leave the box follow their step projected on it, D' = clip(Z + a D) - Z, on [0, 1]. Where
 * the projection is no descent, a projected gradient step is, in any metric that is a multiple of the
 * identity. The other lanes keep their step: what becomes of a row does not depend on its neighbours.
 */
export function followBox(job: Job, panel: Panel): void {
  const state = panel.state;
  const radius = job.radius;
  for (let l: u32 = 0; l < 8; l++) set(state + TEMPORARY, l, leaves(job, panel, l) ? 1 : 0);
  for (let h: u32 = 0; h < job.free; h++) {
    const row = <usize>h << 5;
    for (let l: u32 = 0; l < 8; l++) {
      if (get(state + TEMPORARY, l) == 0) continue;
      const z = get(panel.Z + row, l);
      const moved = z + get(state + LENGTH, l) * get(panel.D + row, l);
      set(panel.D + row, l, max(-radius, min(radius, moved)) - z);
    }
  }
  dot(panel.G, panel.D, job.free, state + SLOPE);
  for (let l: u32 = 0; l < 8; l++) {
    if (get(state + TEMPORARY, l) == 0) continue;
    set(state + FRESH, l, get(state + FRESH, l) == 0 ? BENT : 2);
    if (get(state + ACTIVE, l) == 0 || get(state + SLOPE, l) < 0) continue;
    for (let h: u32 = 0; h < job.free; h++) {
      const row = <usize>h << 5;
      const z = get(panel.Z + row, l);
      const moved = z - job.stepScale * get(panel.G + row, l);
      set(panel.D + row, l, max(-radius, min(radius, moved)) - z);
    }
  }
  startSearch(job, panel);
  for (let l: u32 = 0; l < 8; l++) {
    if (get(state + TEMPORARY, l) > 0) set(state + LENGTH, l, min<f32>(1, get(state + LENGTH, l)));
  }
}

function leaves(job: Job, panel: Panel, l: u32): bool {
  const a = get(panel.state + LENGTH, l);
  for (let h: u32 = 0; h < job.free; h++) {
    const row = <usize>h << 5;
    if (abs(get(panel.Z + row, l) + a * get(panel.D + row, l)) > job.radius) return true;
  }
  return false;
}

/** Takes out of D what would carry coordinates on a bound outward; what is left descends all the more. */
export function stayInside(job: Job, panel: Panel): void {
  const radius = f32x4.splat(job.radius);
  const zero = f32x4.splat(0);
  const end = <usize>job.free << 5;
  for (let at: usize = 0; at < end; at += 16) {
    const z = v128.load(panel.Z + at);
    const d = v128.load(panel.D + at);
    const outward = v128.and(f32x4.ge(f32x4.abs(z), radius), f32x4.gt(f32x4.mul(z, d), zero));
    v128.store(panel.D + at, v128.andnot(d, outward));
  }
}

/** Shortens step lengths so that every lane stays in the box; a lane that is stopped starts afresh. */
export function stopAtBox(job: Job, panel: Panel): void {
  const state = panel.state;
  for (let l: u32 = 0; l < 8; l++) set(state + REACH, l, Infinity);
  for (let h: u32 = 0; h < job.free; h++) {
    const row = <usize>h << 5;
    for (let l: u32 = 0; l < 8; l++) {
      const d = get(panel.D + row, l);
      const z = get(panel.Z + row, l);
      const room = job.radius - (d > 0 ? z : -z);
      if (d != 0) set(state + REACH, l, min(get(state + REACH, l), room / abs(d)));
    }
  }
  for (let l: u32 = 0; l < 8; l++) {
    if (get(state + LENGTH, l) < get(state + REACH, l)) continue;
    set(state + LENGTH, l, get(state + REACH, l));
    set(state + FRESH, l, 2);
  }
}

export function clip(Z: usize, free: u32, radius: f32): void {
  const high = f32x4.splat(radius);
  const low = f32x4.splat(-radius);
  // What rounding leaves just inside a bound is on it.
  const close = f32x4.splat(radius * 0.999999);
  const end = Z + (<usize>free << 5);
  for (; Z < end; Z += 16) {
    const z = v128.load(Z);
    const at = f32x4.ge(f32x4.abs(z), close);
    const bound = v128.bitselect(high, low, f32x4.gt(z, f32x4.splat(0)));
    v128.store(Z, v128.bitselect(bound, z, at));
  }
}

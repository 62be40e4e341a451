/**
 * Losses that no kernel knows by a formula: Psi, Psi', Psi'' and the transfer function sampled on a grid (see
 * loss.ts). Lookups are one score at a time: there is no gather instruction.
 */
import { Job } from './job';

/** Fields of a node of the table: Psi, Psi', Psi'', transfer. */
export const SLOPE: usize = 4;
export const SECOND: usize = 8;
export const TRANSFER: usize = 12;

/** (2 smoothing)^2, which a hinge is smoothed by; next to nothing where it is not. */
@inline
export function softness(job: Job): f32 {
  return max<f32>(1e-30, 4 * job.smoothing * job.smoothing);
}

/** Psi', Psi'' or the transfer function of four scores. */
export function tableLookup(job: Job, m: v128, field: usize): v128 {
  let out = f32x4.splat(tableValue(job, f32x4.extract_lane(m, 0), field));
  out = f32x4.replace_lane(out, 1, tableValue(job, f32x4.extract_lane(m, 1), field));
  out = f32x4.replace_lane(out, 2, tableValue(job, f32x4.extract_lane(m, 2), field));
  return f32x4.replace_lane(out, 3, tableValue(job, f32x4.extract_lane(m, 3), field));
}

export function tablePsi(job: Job, m: v128): v128 {
  let out = f32x4.splat(tableCubic(job, f32x4.extract_lane(m, 0)));
  out = f32x4.replace_lane(out, 1, tableCubic(job, f32x4.extract_lane(m, 1)));
  out = f32x4.replace_lane(out, 2, tableCubic(job, f32x4.extract_lane(m, 2)));
  return f32x4.replace_lane(out, 3, tableCubic(job, f32x4.extract_lane(m, 3)));
}

function tableValue(job: Job, m: f32, field: usize): f32 {
  const kinked = (field == SLOPE || field == SECOND) && (job.slopeTo < 1 || job.slopeFrom > -1);
  const value = tabled(job, m, field);
  return kinked ? value + (field == SLOPE ? hingeSlopes(job, m) : hingeBends(job, m)) : value;
}

function tabled(job: Job, m: f32, field: usize): f32 {
  const cells = <f32>(job.tableSize - 1);
  const place = (m - job.tableFrom) / job.tableStep;
  const inside = place > 0 && place < cells;
  if (!inside && field == SECOND) return 0;
  if (!(place > 0)) return load<f32>(<usize>job.table + field);
  if (!inside) return load<f32>(<usize>job.table + (<usize>(job.tableSize - 1) << 4) + field);
  const cell = <u32>place;
  const at = <usize>job.table + (<usize>cell << 4) + field;
  const low = load<f32>(at);
  return low + (place - <f32>cell) * (load<f32>(at, 16) - low);
}

/** What the kinks at the ends add to the slope: each rises from 0 to its jump. */
function hingeSlopes(job: Job, m: f32): f32 {
  const above = m - <f32>job.to;
  const below = <f32>job.from - m;
  const up = <f32>(1 - job.slopeTo) * (<f32>1 + above / sqrt(above * above + softness(job)));
  const down = <f32>(1 + job.slopeFrom) * (<f32>1 + below / sqrt(below * below + softness(job)));
  return <f32>0.5 * (up - down);
}

function hingeBends(job: Job, m: f32): f32 {
  const above = m - <f32>job.to;
  const below = <f32>job.from - m;
  const far = above * above + softness(job);
  const near = below * below + softness(job);
  const bends = <f32>(1 - job.slopeTo) / (far * sqrt(far)) + <f32>(1 + job.slopeFrom) / (near * sqrt(near));
  return <f32>2 * job.smoothing * job.smoothing * bends;
}

function tableCubic(job: Job, m: f32): f32 {
  const cells = <f32>(job.tableSize - 1);
  const step = job.tableStep;
  const offset = m - job.tableFrom;
  const place = offset / step;
  if (!(place > 0)) return load<f32>(<usize>job.table) - offset;
  if (place >= cells) return load<f32>(<usize>job.table + (<usize>(job.tableSize - 1) << 4)) + (offset - cells * step);
  const cell = <u32>place;
  const at = <usize>job.table + (<usize>cell << 4);
  const s = place - <f32>cell;
  const psi0 = load<f32>(at);
  const psi1 = load<f32>(at, 16);
  const rise = psi1 - psi0;
  const d0 = step * load<f32>(at, 4) - rise;
  const d1 = rise - step * load<f32>(at, 20);
  return psi0 + s * (rise + (1 - s) * ((1 - s) * d0 + s * d1));
}

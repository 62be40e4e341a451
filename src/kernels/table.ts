/**
 * Losses that no kernel knows by a formula: Psi, Psi', Psi'' and the transfer function sampled on a grid (see loss.ts). Lookups are
 * one score at a time: there is no gather instruction.
 */
import { Job } from './job';

/** Fields of a node of the table: Psi, Psi', Psi'', transfer. */
export const SLOPE: usize = 4;
export const SECOND: usize = 8;
export const TRANSFER: usize = 12;

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

function tableCubic(job: Job, m: f32): f32 {
  const cells = <f32>(job.tableSize - 1);
  const step = job.tableStep;
  const offset = m - job.tableFrom;
  const place = offset / step;
  if (!(place > 0)) return load<f32>(<usize>job.table) + offset * load<f32>(<usize>job.table + 4);
  if (place >= cells) {
    const last = <usize>job.table + (<usize>(job.tableSize - 1) << 4);
    return load<f32>(last) + (offset - cells * step) * load<f32>(last, 4);
  }
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

/**
 * Sums over rows that do not depend on the number of threads. Rows are cut into chunks, chunks are dealt to a
 * fixed number of slots, each slot adds up its chunks in order, and the slots are added up in order at the
 * end.
 *
 * The gradient of W, R E^T, is kept in tiles of four bits by eight units: [V / 4][width / 8][4][8].
 */
import { Job } from './job';
import { Panel } from './panel';
import { tile } from './product';
import { aligned, fill, fours, transpose4 } from './simd';

/** Private memory of a thread: residuals [V / 4][chunk][4] and codes [width / 8][chunk][8] of a chunk. */
export function chunkBytes(job: Job): u32 {
  return residualBytes(job) + ((((job.width + 7) & ~7) * job.chunk) << 2);
}

function residualBytes(job: Job): u32 {
  return aligned((fours(job.V) * job.chunk) << 2);
}

export function clearSlot(job: Job, slot: u32): void {
  fill(slotAt(job, slot), 0, job.slotSize);
}

/** Takes the residuals, curvatures and codes of a solved panel, whose first row is row `row` of the chunk. */
export function keepPanel(job: Job, panel: Panel, slot: u32, chunk: usize, row: u32): void {
  const group = <usize>job.chunk << 4;
  const bits = fours(job.V);
  let to = chunk + (<usize>row << 4);
  const end = panel.R + (<usize>bits << 5);
  for (let R = panel.R; R < end; R += 128, to += group) {
    transpose4(R, 32, to, 16);
    transpose4(R + 16, 32, to + 64, 16);
  }

  const E = chunk + residualBytes(job);
  const block = <usize>job.chunk << 5;
  const padded = (job.width + 7) & ~7;
  for (let l: u32 = 0; l < panel.lanes; l++) {
    const weight = rowWeight(job, panel.first + l);
    for (let h: u32 = 0; h < padded; h++) {
      const at = E + <usize>(h >> 3) * block + (<usize>(row + l) << 5) + (<usize>(h & 7) << 2);
      const e: f32 = h < job.width ? load<f32>(panel.Z + (<usize>h << 5) + (<usize>l << 2)) : 0;
      store<f32>(at, weight * e);
    }
  }
  if (job.curvature) keepCurvatures(job, panel, slot);
}

function keepCurvatures(job: Job, panel: Panel, slot: u32): void {
  const state = panel.state;
  for (let l: u32 = 0; l < 8; l++) {
    store<f32>(state + (<usize>l << 2), l < panel.lanes ? rowWeight(job, panel.first + l) : 0);
  }
  const w0 = v128.load(state);
  const w1 = v128.load(state, 16);
  let to = slotAt(job, slot) + curvatureOffset(job);
  const end = panel.C + (<usize>job.V << 5);
  for (let C = panel.C; C < end; C += 32, to += 4) {
    const s = f32x4.add(f32x4.mul(w0, v128.load(C)), f32x4.mul(w1, v128.load(C, 16)));
    const pairs = f32x4.add(s, v128.shuffle<f32>(s, s, 2, 3, 0, 1));
    const sum = f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
    store<f32>(to, load<f32>(to) + sum);
  }
}

/** Adds R E^T of a chunk of `rows` rows to the slot. */
export function addChunk(job: Job, slot: u32, chunk: usize, rows: u32): void {
  const E = chunk + residualBytes(job);
  const group = <usize>job.chunk << 4;
  const block = <usize>job.chunk << 5;
  const blocks = (job.width + 7) >> 3;
  let out = slotAt(job, slot);
  const bits = (job.V + 3) >> 2;
  for (let v: u32 = 0; v < bits; v++, chunk += group) {
    let e = E;
    for (let h: u32 = 0; h < blocks; h++, e += block, out += 128) tile(chunk, e, rows, out, true);
  }
}

/** Adds up the slots, in order, for the four bits of group `v4`. */
export function reduceSlots(job: Job, v4: u32): void {
  const first = v4 << 2;
  const rows = min<u32>(4, job.V - first);
  const width = job.width;
  const blocks = (width + 7) >> 3;
  const tiles = <usize>v4 * <usize>blocks * 128;
  for (let j: u32 = 0; j < rows; j++) {
    let at = tiles + (<usize>j << 5);
    let to = <usize>job.gradient + ((<usize>(first + j) * <usize>width) << 2);
    let h: u32 = 0;
    for (; h + 8 <= width; h += 8, at += 128, to += 32) {
      v128.store(to, fourSums(job, at));
      v128.store(to, fourSums(job, at + 16), 16);
    }
    for (; h < width; h++, at += 4, to += 4) store<f32>(to, sumOfSlots(job, at));
    if (!job.curvature) continue;
    const curvature = curvatureOffset(job) + (<usize>(first + j) << 2);
    store<f32>(<usize>job.curvature + (<usize>(first + j) << 2), sumOfSlots(job, curvature));
  }
}

@inline
function fourSums(job: Job, at: usize): v128 {
  let sum = f32x4.splat(0);
  for (let s: u32 = 0; s < job.slots; s++) sum = f32x4.add(sum, v128.load(slotAt(job, s) + at));
  return sum;
}

function sumOfSlots(job: Job, at: usize): f32 {
  let sum: f32 = 0;
  for (let s: u32 = 0; s < job.slots; s++) sum += load<f32>(slotAt(job, s) + at);
  return sum;
}

function curvatureOffset(job: Job): usize {
  return <usize>fours(job.V) * <usize>((job.width + 7) & ~7) * 4;
}

function slotAt(job: Job, slot: u32): usize {
  return <usize>job.partial + ((<usize>slot * <usize>job.slotSize) << 2);
}

function rowWeight(job: Job, row: u32): f32 {
  return job.rowWeights ? load<f32>(<usize>job.rowWeights + (<usize>row << 2)) : 1;
}

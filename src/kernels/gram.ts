/**
 * A^T diag(w) A, the upper triangle in tiles of 4 x 8. A chunk of rows is multiplied in float32, chunks are
 * added up in float64, dealt to slots as in sums.ts.
 */
import { Job } from './job';
import { tile } from './product';
import { aligned, fours } from './simd';

const CHUNK: u32 = 256;

/**
 * Private memory of a thread: a chunk of A in groups of four columns, and of diag(w) A in groups of eight.
 */
export function gramBytes(width: u32): u32 {
  return 128 + leftBytes(width) + ((((width + 7) & ~7) * CHUNK) << 2);
}

function leftBytes(width: u32): u32 {
  return aligned((fours(width) * CHUNK) << 2);
}

/** Adds up the chunks of one slot into its tiles, [width / 4][width / 8][4][8] of float64. */
export function gramSlot(job: Job, slot: u32, scratch: usize): void {
  const width = job.width;
  const fours = (width + 3) >> 2;
  const eights = (width + 7) >> 3;
  const left = scratch + 128;
  const right = left + leftBytes(width);
  const sums = <usize>job.partial + ((<usize>slot * <usize>job.slotSize) << 3);
  memory.fill(sums, 0, <usize>job.slotSize << 3);
  for (let first = slot * CHUNK; first < job.rows; first += job.slots * CHUNK) {
    const rows = min(CHUNK, job.rows - first);
    packChunk(job, first, rows, left, right);
    for (let i: u32 = 0; i < fours; i++) {
      for (let j = i >> 1; j < eights; j++) {
        tile(left + ((<usize>i * CHUNK) << 4), right + ((<usize>j * CHUNK) << 5), rows, scratch, false);
        let to = sums + (<usize>(i * eights + j) << 8);
        for (let at = scratch; at < scratch + 128; at += 8, to += 16) {
          const pair = f64x2.promote_low_f32x4(v128.load_zero<u64>(at));
          v128.store(to, f64x2.add(v128.load(to), pair));
        }
      }
    }
  }
}

function packChunk(job: Job, first: u32, rows: u32, left: usize, right: usize): void {
  const width = job.width;
  for (let r: u32 = 0; r < rows; r++) {
    const from = <usize>job.A + ((<usize>(first + r) * <usize>width) << 2);
    const weight: f32 = job.rowWeights ? load<f32>(<usize>job.rowWeights + (<usize>(first + r) << 2)) : 1;
    const end = (width + 7) & ~7;
    for (let h: u32 = 0; h < end; h++) {
      const a: f32 = h < width ? load<f32>(from + (<usize>h << 2)) : 0;
      if (h < fours(width)) store<f32>(left + ((<usize>((h >> 2) * CHUNK + r) << 4) | (<usize>(h & 3) << 2)), a);
      store<f32>(right + ((<usize>((h >> 3) * CHUNK + r) << 5) | (<usize>(h & 7) << 2)), weight * a);
    }
  }
}

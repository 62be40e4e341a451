/**
 * The Hessian of one row, sum over v of c_v w_v w_v^T with c = t Psi''. Most scores of a trained decoder are
 * saturated and their c next to nothing, so only the entries that matter are picked, which makes it several times
 * cheaper than the whole product. Float32: it steers steps, it proves nothing.
 */
import { Job } from './job';
import { tile } from './product';
import { aligned } from './simd';

/** Entries with less than this share of the largest curvature are left out. */
const SHARE: f32 = 1e-4;

/** Memory for the entries picked: [free / 4][V][4] scaled by c, [free / 8][V][8] as they are, and a tile. */
export function pickedBytes(job: Job): u32 {
  return scaledBytes(job) + plainBytes(job) + 128;
}

function scaledBytes(job: Job): u32 {
  return aligned((((job.free + 3) & ~3) * job.V) << 2);
}

function plainBytes(job: Job): u32 {
  return aligned((((job.free + 7) & ~7) * job.V) << 2);
}

/** The least curvature of an entry worth picking; `c` is V floats, 32 bytes apart. */
export function worthPicking(c: usize, V: u32, share: f32 = SHARE): f32 {
  let most: f32 = 0;
  for (let v: u32 = 0; v < V; v++) most = max(most, load<f32>(c + (<usize>v << 5)));
  return share * most;
}

/** The lower triangle, entry (i, j) at out + (i free + j) stride, for curvatures `c` as above. */
export function hessian(job: Job, picked: usize, c: usize, out: usize, stride: usize, share: f32 = SHARE): void {
  const free = job.free;
  const V = job.V;
  const plain = picked + <usize>scaledBytes(job);
  const square = plain + <usize>plainBytes(job);
  const count = pick(job, picked, plain, c, share);
  for (let i: u32 = 0; i < free; i += 4) {
    const a = picked + ((<usize>(i >> 2) * <usize>V) << 4);
    for (let j: u32 = 0; j <= i + 3 && j < free; j += 8) {
      tile(a, plain + ((<usize>(j >> 3) * <usize>V) << 5), count, square, false);
      for (let k = i; k < min(free, i + 4); k++) {
        const end = min(k + 1, j + 8);
        let from = square + (<usize>(k - i) << 5);
        let to = out + <usize>(k * free + j) * stride;
        for (let l = j; l < end; l++, from += 4, to += stride) store<f32>(to, load<f32>(from));
      }
    }
  }
}

/** Copies the rows of W that matter; how many there are. */
function pick(job: Job, scaled: usize, plain: usize, c: usize, share: f32): u32 {
  const V = <usize>job.V;
  const fours = <usize>((job.free + 3) >> 2);
  const least = worthPicking(c, job.V, share);
  let count: u32 = 0;
  for (let v: usize = 0; v < V; v++) {
    const value = load<f32>(c + (v << 5));
    if (!(value > least)) continue;
    const factor = f32x4.splat(value);
    let from = <usize>job.back + (v << 4);
    let to = scaled + (<usize>count << 4);
    let eight = plain + (<usize>count << 5);
    for (let j: usize = 0; j < fours; j++, from += V << 4, to += V << 4) {
      const w = v128.load(from);
      v128.store(to, f32x4.mul(factor, w));
      v128.store(eight, w);
      // Groups of eight are two groups of four, side by side.
      eight += j & 1 ? (V << 5) - 16 : 16;
    }
    count++;
  }
  return count;
}

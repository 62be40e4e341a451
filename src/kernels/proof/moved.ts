/**
 * The entries of a row whose part of the dual point moves with Newton's step: those that the Hessian is made
 * of. Most bits of a trained decoder are certain and hardly bend, so that these are few, and all that the
 * bound needs of the others is known already: at u = Psi'(m) the sum of t Psi*(u) is g . z - f, and
 * W^T t (u - x) is the gradient g.
 */
import { conjugate } from './few';
import { CROSS_ENTROPY, Job } from '../job';
import { Row } from './row';
import { get, set } from '../vector';
import { madd64 } from '../wide';
import { fours } from '../simd';

@unmanaged
export class Moved {
  /** Whether they are few enough to be gone through one by one. */
  few: bool;
  count: u32;
  /** Their indices (u32), and Psi*(u) of each before it moves. */
  list: usize;
  before: usize;
}

/** Beyond this share of all entries, whole vectors are faster. */
const FEW: u32 = 2;

/**
 * The entries that bend. What is kept of them takes the place of the slopes of kinks, which no such loss has.
 */
export function openMoved(job: Job, row: Row): Moved {
  const moved = changetype<Moved>(row.lower);
  moved.few = false;
  if (job.loss != CROSS_ENTROPY || row.precise) return moved;
  moved.list = row.upper;
  moved.before = row.lower + (<usize>sizeOfMoved << 3);
  let count: u32 = 0;
  for (let v: u32 = 0; v < job.V; v++) {
    if (!(get(row.bend, v) > 0)) continue;
    store<u32>(moved.list + (<usize>count << 2), v);
    count++;
  }
  moved.count = count;
  moved.few = FEW * count + sizeOfMoved < job.V;
  if (!moved.few) return moved;
  for (let i: u32 = 0; i < count; i++) set(moved.before, i, conjugate(get(row.u, entryAt(moved, i))));
  // Steps are read in fours.
  for (let h = job.width; h < fours(job.width); h++) {
    set(row.next, h, 0);
    set(row.mend, h, 0);
  }
  return moved;
}

/** Room for the fields, in float64 numbers. */
const sizeOfMoved: u32 = 4;

@inline
function entryAt(moved: Moved, i: u32): u32 {
  return load<u32>(moved.list + (<usize>i << 2));
}

/** The shift of the scores of these entries, in the order of the list, by the step `d`. */
export function moveFew(job: Job, row: Row, moved: Moved, d: usize, further: bool): void {
  const group = <usize>job.V << 4;
  const end = d + (<usize>fours(job.width) << 3);
  for (let i: u32 = 0; i < moved.count; i++) {
    let from = <usize>job.back + (<usize>entryAt(moved, i) << 4);
    let low = f64x2.splat(0);
    let high = low;
    for (let at = d; at < end; at += 32, from += group) {
      low = madd64(f64x2.promote_low_f32x4(v128.load64_zero(from)), v128.load(at), low);
      high = madd64(f64x2.promote_low_f32x4(v128.load64_zero(from, 8)), v128.load(at, 16), high);
    }
    const both = f64x2.add(low, high);
    const change = f64x2.extract_lane(both, 0) + f64x2.extract_lane(both, 1);
    set(row.shift, i, further ? get(row.shift, i) + change : change);
  }
}

/** The sum of t Psi*(u) over all entries at the moved u, with dual = W^T t (u - x) there. */
export function conjugatesOfFew(job: Job, row: Row, moved: Moved): f64 {
  const count = moved.count;
  let sum = -row.f;
  for (let h: u32 = 0; h < job.width; h++) sum += get(row.g, h) * get(row.z, h);
  for (let i: u32 = 0; i < count; i++) {
    const v = entryAt(moved, i);
    const t = get(row.t, v);
    const u = get(row.u, v);
    const there = max<f64>(-1, min<f64>(1, u + (get(row.bend, v) * get(row.shift, i)) / t));
    sum += t * (conjugate(there) - get(moved.before, i));
    set(row.trial, i, t * (there - u));
  }
  const stride = <usize>job.V << 4;
  let from = <usize>job.back;
  for (let h: u32 = 0; h < job.width; h += 4, from += stride) {
    let low = f64x2.splat(0);
    let high = low;
    for (let i: u32 = 0; i < count; i++) {
      const at = from + (<usize>entryAt(moved, i) << 4);
      const factor = v128.load64_splat(row.trial + (<usize>i << 3));
      low = madd64(f64x2.promote_low_f32x4(v128.load64_zero(at)), factor, low);
      high = madd64(f64x2.promote_low_f32x4(v128.load64_zero(at, 8)), factor, high);
    }
    const to = row.dual + (<usize>h << 3);
    v128.store(to, f64x2.add(low, v128.load(row.g + (<usize>h << 3))));
    v128.store(to, f64x2.add(high, v128.load(row.g + (<usize>h << 3), 16)), 16);
  }
  return sum;
}

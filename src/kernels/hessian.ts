/**
 * The Hessian of one item, A^T diag(c) A = sum over k of c_k a_k a_k^T with c = t Psi''. Most scores of a
 * trained decoder are saturated and their c next to nothing, so only the entries that matter are picked,
 * which makes it several times cheaper than the whole product. Float32: it steers steps, it proves nothing.
 */
import { CODES, Job, SAMPLE, WIDE } from './job';
import { tile } from './product';
import { aligned, fours } from './simd';

/** Entries with less than this share of the largest curvature are left out. */
export const SHARE: f32 = 1e-4;

/**
 * Entries of a bit that are gone through at a time: there may be millions. Those of a row are, all at once.
 */
const BATCH: u32 = 4096;

/**
 * Memory for picked entries: [free / 4][batch][4] scaled by c, [free / 8][batch][8] unscaled, a tile,
 * samples.
 */
export function pickedBytes(job: Job): u32 {
  return scaledBytes(job) + plainBytes(job) + 128 + (canSample(job) ? SAMPLES : 0);
}

function scaledBytes(job: Job): u32 {
  return aligned((fours(job.free) * batchOf(job)) << 2);
}

function plainBytes(job: Job): u32 {
  return aligned((((job.free + 7) & ~7) * batchOf(job)) << 2);
}

function batchOf(job: Job): u32 {
  return job.side == CODES && !canSample(job) ? job.K : min(job.K, BATCH);
}

/** The least curvature of an entry worth picking; `c` is K floats, `pitch` bytes apart. */
export function worthPicking(c: usize, pitch: usize, K: u32, share: f32 = SHARE): f32 {
  let most: f32 = 0;
  for (let k: u32 = 0; k < K; k++, c += pitch) most = max(most, load<f32>(c));
  return share * most;
}

/**
 * Where an item has many entries, a sample of them stands for all: each entry that has its share of the whole
 * curvature or more stands for itself, and of the others those at which the sum of the curvatures before them
 * passes a further share. So each entry counts, in the mean, as much as it bends. Which ones they are depends
 * on the curvatures alone; they are twice `SAMPLE` at most.
 */

/**
 * Whether a sample of an item's entries can stand for all of them. It says too little of many units, and
 * steps that it steers hardly come closer; in a wide table there is no time for more.
 */
export function canSample(job: Job): bool {
  return job.V >= WIDE ? job.K > 2 * SAMPLE : job.K >= WIDE && job.free <= MOST_SAMPLED;
}

/** Units, a bias unit counted, of which a sample says enough. */
const MOST_SAMPLED: u32 = 65;

/** Bytes of a lane's sample: indices of entries and what each stands for. */
const LANE: u32 = (2 * SAMPLE) << 3;
/**
 * Before the samples, for each lane: how many entries it has, a share, and the sum that has passed since the
 * last one was full.
 */
const SHARES: usize = 32;
const PASSED: usize = 64;
const HEADER: usize = 96;
const SAMPLES: u32 = <u32>HEADER + 8 * LANE;

/**
 * As `hessian`, to within a tenth or so, for a lane that `sample` was taken of: good for steps whose
 * gradients are exact.
 */
export function sampledHessian(job: Job, picked: usize, lane: usize, out: usize, stride: usize): void {
  const plain = picked + <usize>scaledBytes(job);
  const samples = samplesAt(job, picked);
  const count = load<u32>(samples + (lane << 2));
  let from = samples + HEADER + lane * <usize>LANE;
  for (let i: u32 = 0; i < count; i++, from += 8) copy(job, picked, plain, load<u32>(from), load<f32>(from, 4), i);
  addProducts(job, picked, plain, count, out, stride, false);
}

function samplesAt(job: Job, picked: usize): usize {
  return picked + <usize>(scaledBytes(job) + plainBytes(job) + 128);
}

/** The largest number of entries that `fewHessian` is made of. */
export const FEW: u32 = 2 * SAMPLE;

/** Of a row it takes half as many: fewer than that, and more rows need a proof of all entries. */
function fewOf(job: Job): u32 {
  return job.side == CODES ? FEW / 2 : FEW;
}

/**
 * The Hessian of the few entries that have most of the curvature, at float64 curvatures c (K): those above
 * one part in so many, of which there are fewer. Their indices go to `list`; how many there are.
 */
export function fewHessian(job: Job, picked: usize, c: usize, out: usize, list: usize): u32 {
  const plain = picked + <usize>scaledBytes(job);
  let sum: f64 = 0;
  for (let k: u32 = 0; k < job.K; k++) sum += load<f64>(c + (<usize>k << 3));
  const most = fewOf(job);
  const least = sum / <f64>most;
  let count: u32 = 0;
  for (let k: u32 = 0; k < job.K && count < most; k++) {
    const value = load<f64>(c + (<usize>k << 3));
    if (!(value > least)) continue;
    store<u32>(list + (<usize>count << 2), k);
    copy(job, picked, plain, k, <f32>value, count++);
  }
  addProducts(job, picked, plain, count, out, 4, false);
  return count;
}

/** The lower triangle, entry (i, j) at out + (i free + j) stride, for curvatures `c` as above. */
export function hessian(
  job: Job,
  picked: usize,
  c: usize,
  pitch: usize,
  out: usize,
  stride: usize,
  share: f32 = SHARE,
): void {
  const plain = picked + <usize>scaledBytes(job);
  const least = worthPicking(c, pitch, job.K, share);
  const batch = batchOf(job);
  for (let first: u32 = 0; first < job.K; first += batch) {
    const count = pick(job, picked, plain, c, pitch, least, first, min(job.K, first + batch));
    addProducts(job, picked, plain, count, out, stride, first > 0);
  }
}

/** out = or += the sum over the entries picked of scaled (x) plain. */
function addProducts(
  job: Job,
  scaled: usize,
  plain: usize,
  count: u32,
  out: usize,
  stride: usize,
  accumulate: bool,
): void {
  const free = job.free;
  const batch = <usize>batchOf(job);
  const square = plain + <usize>plainBytes(job);
  for (let i: u32 = 0; i < free; i += 4) {
    const a = scaled + ((<usize>(i >> 2) * batch) << 4);
    for (let j: u32 = 0; j <= i + 3 && j < free; j += 8) {
      tile(a, plain + ((<usize>(j >> 3) * batch) << 5), count, square, false);
      for (let k = i; k < min(free, i + 4); k++) {
        const end = min(k + 1, j + 8);
        let from = square + (<usize>(k - i) << 5);
        let to = out + <usize>(k * free + j) * stride;
        for (let l = j; l < end; l++, from += 4, to += stride) {
          store<f32>(to, accumulate ? load<f32>(to) + load<f32>(from) : load<f32>(from));
        }
      }
    }
  }
}

/** Copies the rows of A from `first` to `last` that matter; how many there are. */
function pick(
  job: Job,
  scaled: usize,
  plain: usize,
  c: usize,
  pitch: usize,
  least: f32,
  first: u32,
  last: u32,
): u32 {
  let count: u32 = 0;
  for (let k = first; k < last; k++) {
    const value = load<f32>(c + <usize>k * pitch);
    if (value > least) copy(job, scaled, plain, k, value, count++);
  }
  return count;
}

/**
 * Shares that the curvature is divided into: in a wide table, where steps are many, as few as will do. W
 * takes more steps after the rounds, so that it needs fewer than codes do.
 */
function sharesOf(job: Job): u32 {
  return job.V < WIDE ? SAMPLE : min(SAMPLE, max<u32>(job.side == CODES ? 1024 : 512, 32 * job.free));
}

/** Takes the entries that stand for all of them, of a panel's lanes or of the one that is alone. */
export function sample(job: Job, picked: usize, c: usize, pitch: usize): void {
  const samples = samplesAt(job, picked);
  const count = sharesOf(job);
  if (pitch == 4) return sampleFour(c, pitch, job.K, count, 1, samples, 0);
  sampleFour(c, pitch, job.K, count, 15, samples, 0);
  sampleFour(c + 16, pitch, job.K, count, 15, samples, 4);
}

/** Four lanes at a time, of which the bits of `lanes` matter: most entries are passed by in all. */
function sampleFour(c: usize, pitch: usize, K: u32, count: u32, lanes: i32, samples: usize, first: u32): void {
  const at = samples + (<usize>first << 2);
  const shares = f32x4.div(total(c, pitch, K), f32x4.splat(<f32>count));
  v128.store(at, i32x4.splat(0));
  v128.store(at + SHARES, shares);
  let passed = f32x4.mul(f32x4.splat(0.5), shares);
  for (let k: u32 = 0; k < K; k += 4, c += pitch << 2) {
    let open = lanes;
    if (k + 4 <= K) {
      const four = f32x4.add(
        f32x4.add(v128.load(c), v128.load(c + pitch)),
        f32x4.add(v128.load(c + 2 * pitch), v128.load(c + 3 * pitch)),
      );
      const next = f32x4.add(passed, four);
      const below = f32x4.lt(next, shares);
      passed = v128.bitselect(next, passed, below);
      open &= ~i32x4.bitmask(below);
    }
    if (!open) continue;
    v128.store(at + PASSED, passed);
    for (; open; open &= open - 1) {
      const lane = <u32>ctz(open);
      take(c + (<usize>lane << 2), pitch, k, min(K, k + 4), samples, first + lane);
    }
    passed = v128.load(at + PASSED);
  }
}

/** Goes through the entries `k` to `end` of one lane. */
function take(c: usize, pitch: usize, k: u32, end: u32, samples: usize, lane: u32): void {
  const at = samples + (<usize>lane << 2);
  const share = load<f32>(at + SHARES);
  let passed = load<f32>(at + PASSED);
  let count = load<u32>(at);
  for (; k < end; k++, c += pitch) {
    const value = load<f32>(c);
    if (value < share) passed += value;
    if (!(max(value, passed) >= share) || count == 2 * SAMPLE) continue;
    if (value < share) passed -= share;
    const to = samples + HEADER + <usize>(lane * LANE) + (<usize>count << 3);
    store<u32>(to, k);
    store<f32>(to, max(value, share), 4);
    count++;
  }
  store<f32>(at + PASSED, passed);
  store<u32>(at, count);
}

/** The sums of the curvatures of four lanes. */
function total(c: usize, pitch: usize, K: u32): v128 {
  let even = f32x4.splat(0);
  let odd = even;
  for (let k: u32 = 0; k + 1 < K; k += 2, c += 2 * pitch) {
    even = f32x4.add(even, v128.load(c));
    odd = f32x4.add(odd, v128.load(c + pitch));
  }
  return f32x4.add(even, odd);
}

/** Row k of A to place `count` of the entries picked, plain and scaled. */
@inline
function copy(job: Job, scaled: usize, plain: usize, k: u32, value: f32, count: u32): void {
  const group = <usize>job.K << 4;
  const batch = <usize>batchOf(job);
  const fours = <usize>((job.free + 3) >> 2);
  const factor = f32x4.splat(value);
  let from = <usize>job.back + (<usize>k << 4);
  let to = scaled + (<usize>count << 4);
  let eight = plain + (<usize>count << 5);
  for (let j: usize = 0; j < fours; j++, from += group, to += batch << 4) {
    const a = v128.load(from);
    v128.store(to, f32x4.mul(factor, a));
    v128.store(eight, a);
    // Groups of eight are two groups of four, side by side.
    eight += j & 1 ? (batch << 5) - 16 : 16;
  }
}

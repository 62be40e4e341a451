/**
 * The code of a vector x: for each half byte m one of 16 words, so that |x - sum of the words|^2 is small,
 *
 *     cost = sum_m ( |c_m|^2 - 2 x . c_m ) + sum over pairs of 2 c_m . c_j.
 *
 * One half at a time takes the best of its 16 words, the others given, until none changes. Then sweeps of
 * annealing draw words at a temperature that falls to 0, and it descends again: the better code is kept. What
 * all words would cost is kept beside the code, so that a half that keeps its word costs 16 comparisons, and
 * one that changes it 32 additions for each of the others.
 */
import { Job } from './job';

export function assign(job: Job, thread: u32, row: u32): void {
  const halves = job.halves;
  const K = halves << 4;
  const linear = <usize>job.scratch + <usize>thread * ((<usize>K << 3) + <usize>halves);
  const sums = linear + (<usize>K << 2);
  const trial = sums + (<usize>K << 2);
  const code = <usize>job.chosen + <usize>row * halves;
  const x = <usize>job.vectors + ((<usize>row * job.V) << 2);
  againstWords(job, x, linear, K);
  addUp(job, linear, code, sums, halves);
  descend(job, code, sums, halves);
  let best = costOf(job, linear, code, halves);
  // The same numbers for all vectors: a code depends on the vector, the words and the seed, not on where it
  // stands.
  let state = (job.seed * 2654435761) ^ 0x9e3779b9;
  const cooling = job.hot / <f32>job.sweeps;
  memory.copy(trial, code, halves);
  for (let t: u32 = 0; t < job.tries; t++) {
    let temperature = job.hot;
    for (let sweep: u32 = 0; sweep < job.sweeps; sweep++) {
      for (let m: usize = 0; m < <usize>halves; m++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        const word = drawn(sums + (m << 6), temperature, <usize>job.noise + (((state >> 8) & 4095) << 2));
        if (word != <u32>load<u8>(trial + m)) change(job, trial, sums, m, word, halves);
      }
      temperature -= cooling;
    }
    // The sums have been changed many times: begin again without what rounding has added.
    addUp(job, linear, trial, sums, halves);
    descend(job, trial, sums, halves);
    const cost = costOf(job, linear, trial, halves);
    if (cost < best) {
      best = cost;
      memory.copy(code, trial, halves);
    }
  }
  store<f32>(<usize>job.errors + (<usize>row << 2), best);
}

/** |c|^2 - 2 x . c of each word. */
function againstWords(job: Job, x: usize, linear: usize, K: u32): void {
  const stride = <usize>K << 2;
  const end = x + (<usize>job.V << 2);
  for (let k: usize = 0; k < stride; k += 64) {
    let a = f32x4.splat(0);
    let b = a;
    let c = a;
    let d = a;
    let words = <usize>job.words + k;
    for (let at = x; at < end; at += 4) {
      const value = v128.load32_splat(at);
      a = f32x4.add(a, f32x4.mul(value, v128.load(words)));
      b = f32x4.add(b, f32x4.mul(value, v128.load(words, 16)));
      c = f32x4.add(c, f32x4.mul(value, v128.load(words, 32)));
      d = f32x4.add(d, f32x4.mul(value, v128.load(words, 48)));
      words += stride;
    }
    const lengths = <usize>job.lengths + k;
    v128.store(linear + k, f32x4.sub(v128.load(lengths), f32x4.add(a, a)));
    v128.store(linear + k, f32x4.sub(v128.load(lengths, 16), f32x4.add(b, b)), 16);
    v128.store(linear + k, f32x4.sub(v128.load(lengths, 32), f32x4.add(c, c)), 32);
    v128.store(linear + k, f32x4.sub(v128.load(lengths, 48), f32x4.add(d, d)), 48);
  }
}

/** What each word of each half would cost, the other halves given. */
function addUp(job: Job, linear: usize, code: usize, sums: usize, halves: u32): void {
  const stride = <usize>halves << 6;
  memory.copy(sums, linear, stride);
  for (let j: usize = 0; j < <usize>halves; j++) {
    const row = <usize>job.pairs + ((j << 4) + <usize>load<u8>(code + j)) * stride;
    for (let k: usize = 0; k < stride; k += 16) {
      if (k >> 6 != j) v128.store(sums + k, f32x4.add(v128.load(sums + k), v128.load(row + k)));
    }
  }
}

/** Half m takes another word: what the words of all other halves cost changes. */
function change(job: Job, code: usize, sums: usize, m: usize, word: u32, halves: u32): void {
  const stride = <usize>halves << 6;
  const own = sums + (m << 6);
  const a = v128.load(own);
  const b = v128.load(own, 16);
  const c = v128.load(own, 32);
  const d = v128.load(own, 48);
  const rows = <usize>job.pairs + (m << 4) * stride;
  const before = rows + <usize>load<u8>(code + m) * stride;
  const after = rows + <usize>word * stride;
  for (let k: usize = 0; k < stride; k += 32) {
    const one = f32x4.sub(v128.load(after + k), v128.load(before + k));
    const two = f32x4.sub(v128.load(after + k, 16), v128.load(before + k, 16));
    v128.store(sums + k, f32x4.add(v128.load(sums + k), one));
    v128.store(sums + k, f32x4.add(v128.load(sums + k, 16), two), 16);
  }
  v128.store(own, a);
  v128.store(own, b, 16);
  v128.store(own, c, 32);
  v128.store(own, d, 48);
  store<u8>(code + m, <u8>word);
}

/** Every half takes its best word in turn until none changes. */
function descend(job: Job, code: usize, sums: usize, halves: u32): void {
  // A code settles after a few sweeps; rounding could make two words change places for ever.
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let changed = false;
    for (let m: usize = 0; m < <usize>halves; m++) {
      const at = sums + (m << 6);
      const word = leastOf(v128.load(at), v128.load(at, 16), v128.load(at, 32), v128.load(at, 48));
      if (word != <u32>load<u8>(code + m)) {
        change(job, code, sums, m, word, halves);
        changed = true;
      }
    }
    if (!changed) return;
  }
}

/**
 * A word of a half whose costs are at `at`, drawn from exp(-cost / temperature): the least of the costs less
 * as many Gumbel numbers, which are read at `random`.
 */
@inline
function drawn(at: usize, temperature: f32, random: usize): u32 {
  const t = f32x4.splat(temperature);
  return leastOf(
    f32x4.sub(v128.load(at), f32x4.mul(t, v128.load(random))),
    f32x4.sub(v128.load(at, 16), f32x4.mul(t, v128.load(random, 16))),
    f32x4.sub(v128.load(at, 32), f32x4.mul(t, v128.load(random, 32))),
    f32x4.sub(v128.load(at, 48), f32x4.mul(t, v128.load(random, 48))),
  );
}

/** The place of the least of 16 numbers, the first of equals. */
@inline
function leastOf(a: v128, b: v128, c: v128, d: v128): u32 {
  let least = f32x4.pmin(f32x4.pmin(a, b), f32x4.pmin(c, d));
  least = f32x4.pmin(least, i32x4.shuffle(least, least, 2, 3, 0, 1));
  least = f32x4.pmin(least, i32x4.shuffle(least, least, 1, 0, 3, 2));
  const low = i16x8.narrow_i32x4_s(f32x4.eq(a, least), f32x4.eq(b, least));
  const high = i16x8.narrow_i32x4_s(f32x4.eq(c, least), f32x4.eq(d, least));
  return <u32>ctz(i8x16.bitmask(i8x16.narrow_i16x8_s(low, high)));
}

function costOf(job: Job, linear: usize, code: usize, halves: u32): f32 {
  const stride = <usize>halves << 6;
  let cost: f32 = 0;
  for (let m: usize = 0; m < <usize>halves; m++) {
    const word = (m << 4) + <usize>load<u8>(code + m);
    cost += load<f32>(linear + (word << 2));
    const row = <usize>job.pairs + word * stride;
    for (let j: usize = 0; j < m; j++) cost += load<f32>(row + (((j << 4) + <usize>load<u8>(code + j)) << 2));
  }
  return cost;
}

const SWEEPS = 16;

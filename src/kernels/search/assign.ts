/**
 * The code of a vector x: for each half byte m one of 16 words, so that |x - sum of the words|^2 is small,
 *
 *     cost = sum_m ( |c_m|^2 - 2 x . c_m ) + sum over pairs of 2 c_m . c_j.
 *
 * One half at a time takes the best of its 16 words, the others given, until none changes. Then a few halves are changed
 * at random and it descends again: the better code is kept. With the products of all pairs at hand a descent reads 16
 * numbers for each two halves and computes no product.
 */
import { Job } from './job';

export function assign(job: Job, thread: u32, row: u32): void {
  const halves = job.halves;
  const K = halves << 4;
  const linear = <usize>job.scratch + <usize>thread * ((<usize>K << 2) + <usize>halves);
  const trial = linear + (<usize>K << 2);
  const code = <usize>job.chosen + <usize>row * halves;
  const x = <usize>job.vectors + ((<usize>row * job.V) << 2);
  againstWords(job, x, linear, K);
  descend(job, linear, code, halves);
  let best = costOf(job, linear, code, halves);
  let state = (job.seed * 2654435761) ^ (row * 2246822519) ^ 0x9e3779b9;
  for (let t: u32 = 0; t < job.tries; t++) {
    memory.copy(trial, code, halves);
    for (let kick: u32 = 0; kick < job.kicks; kick++) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      store<u8>(trial + ((state >> 8) % halves), <u8>(state >> 4) & 15);
    }
    descend(job, linear, trial, halves);
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

/** Every half takes its best word in turn until none changes. */
function descend(job: Job, linear: usize, code: usize, halves: u32): void {
  const stride = <usize>halves << 6;
  // A code of H bits settles after a few sweeps; rounding could make two words change places for ever.
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let changed = false;
    for (let m: usize = 0; m < <usize>halves; m++) {
      const at = m << 6;
      let a = v128.load(linear + at);
      let b = v128.load(linear + at, 16);
      let c = v128.load(linear + at, 32);
      let d = v128.load(linear + at, 48);
      let pairs = <usize>job.pairs + at;
      for (let j: usize = 0; j < <usize>halves; j++) {
        if (j != m) {
          const row = pairs + <usize>load<u8>(code + j) * stride;
          a = f32x4.add(a, v128.load(row));
          b = f32x4.add(b, v128.load(row, 16));
          c = f32x4.add(c, v128.load(row, 32));
          d = f32x4.add(d, v128.load(row, 48));
        }
        pairs += stride << 4;
      }
      const word = <u8>leastOf(a, b, c, d);
      if (word != load<u8>(code + m)) {
        store<u8>(code + m, word);
        changed = true;
      }
    }
    if (!changed) return;
  }
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

/**
 * Codes against a query: xor, popcount, compare. Almost every code is farther than the limit, so eight at a
 * time are passed over with one branch. The popcount is the 64-bit instruction: on x86-64, where hosts make
 * i8x16.popcnt of table look-ups, it was about twice (codes of 16 bytes) and three times (8 bytes) as fast as
 * that.
 */
import { found, limitOf } from './found';
import { Job } from './job';

/** Codes `first` to `end` against one query. Threads meet codes in ascending order: a tie never displaces. */
export function scan(job: Job, thread: u32, query: u32, first: u32, end: u32): void {
  const stride = <usize>job.stride;
  const q = <usize>job.queries + <usize>query * stride;
  const codes = <usize>job.codes;
  const eight = stride << 3;
  let at = codes + <usize>first * stride;
  const groups = at + <usize>((end - first) >> 3) * eight;
  let limit = limitOf(job, thread, query);
  for (;;) {
    at = passOver(at, groups, q, stride, limit);
    if (at == groups) break;
    const next = at + eight;
    for (; at < next; at += stride) limit = look(job, thread, query, codes, at, q, limit);
  }
  const last = codes + <usize>end * stride;
  for (; at < last; at += stride) limit = look(job, thread, query, codes, at, q, limit);
}

/** One code; the limit after it. */
@inline
function look(job: Job, thread: u32, query: u32, codes: usize, at: usize, q: usize, limit: u32): u32 {
  const stride = <usize>job.stride;
  const distance = <u32>far(at, q, stride);
  return distance < limit ? found(job, thread, query, <u32>((at - codes) / stride), distance) : limit;
}

/** The first of the groups of eight codes that has one nearer than the limit, or the end. */
@inline
function passOver(at: usize, end: usize, q: usize, stride: usize, limit: u32): usize {
  if (stride == 8) return passOver8(at, end, q, limit);
  if (stride == 16) return passOver16(at, end, q, limit);
  if (stride == 32) return passOver32(at, end, q, limit);
  return passOverWide(at, end, q, stride, limit);
}

// A difference is negative where the distance is below the limit, and so is the `or` of several of them.

function passOver8(at: usize, end: usize, q: usize, limit: i64): usize {
  const a = load<u64>(q);
  for (; at < end; at += 64) {
    const near =
      (word(at, a) - limit) |
      (word(at + 8, a) - limit) |
      (word(at + 16, a) - limit) |
      (word(at + 24, a) - limit) |
      (word(at + 32, a) - limit) |
      (word(at + 40, a) - limit) |
      (word(at + 48, a) - limit) |
      (word(at + 56, a) - limit);
    if (near < 0) break;
  }
  return at;
}

function passOver16(at: usize, end: usize, q: usize, limit: i64): usize {
  const a = load<u64>(q);
  const b = load<u64>(q, 8);
  for (; at < end; at += 128) {
    const near =
      (two(at, a, b) - limit) |
      (two(at + 16, a, b) - limit) |
      (two(at + 32, a, b) - limit) |
      (two(at + 48, a, b) - limit) |
      (two(at + 64, a, b) - limit) |
      (two(at + 80, a, b) - limit) |
      (two(at + 96, a, b) - limit) |
      (two(at + 112, a, b) - limit);
    if (near < 0) break;
  }
  return at;
}

function passOver32(at: usize, end: usize, q: usize, limit: i64): usize {
  const a = load<u64>(q);
  const b = load<u64>(q, 8);
  const c = load<u64>(q, 16);
  const d = load<u64>(q, 24);
  for (; at < end; at += 256) {
    let near: i64 = 0;
    for (let code = at; code < at + 256; code += 64) {
      near |= two(code, a, b) + two(code + 16, c, d) - limit;
      near |= two(code + 32, a, b) + two(code + 48, c, d) - limit;
    }
    if (near < 0) break;
  }
  return at;
}

function passOverWide(at: usize, end: usize, q: usize, stride: usize, limit: i64): usize {
  const eight = stride << 3;
  for (; at < end; at += eight) {
    let near: i64 = 0;
    for (let code = at; code < at + eight; code += stride) near |= far(code, q, stride) - limit;
    if (near < 0) break;
  }
  return at;
}

/** The distance of two codes of any length. */
@inline
function far(at: usize, q: usize, stride: usize): i64 {
  let distance: i64 = 0;
  for (let b: usize = 0; b < stride; b += 8) distance += word(at + b, load<u64>(q + b));
  return distance;
}

@inline
function two(at: usize, a: u64, b: u64): i64 {
  return word(at, a) + word(at + 8, b);
}

@inline
function word(at: usize, a: u64): i64 {
  return popcnt<u64>(load<u64>(at) ^ a);
}

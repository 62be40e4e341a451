/**
 * Codes against a query by what they cost: one number from a table for each half byte of the code, and a
 * constant of the code. The costs are those of float32. Before they are added up, a lower bound passes over
 * almost every code:
 *
 *     cost = least + unit c + sum over halves of A_m[half]  >=  base + step (sum of whole steps + factor c),
 *
 * where the steps, from 0 to 127, are A_m[half] - min A_m in units of `step`, rounded down. They are looked
 * up by swizzles, 16 codes at a time; two of them fit a byte, and 16-bit lanes add up the rest.
 *
 * Codes lie in blocks of 32: the first bytes of all 32, then their second bytes, and so on.
 */
import { found, limitOf } from './found';
import { Job } from './job';

/**
 * Codes `first` (a multiple of 32) to `end`. Threads meet codes in ascending order: a tie never displaces.
 */
export function scores(job: Job, thread: u32, query: u32, first: u32, end: u32): void {
  const bytes = <usize>job.stride;
  const steps = <usize>job.steps + ((<usize>query * bytes) << 5);
  const scale = <usize>job.scales + (<usize>query << 4);
  const factor = i16x8.splat(<i16>load<i32>(scale, 8));
  const low = i8x16.splat(15);
  let near = nearest(job, thread, query, scale);
  if (near < 0) return;
  let bound = i16x8.splat(<i16>near);
  for (let code = first; code < end; code += 32) {
    let at = <usize>job.codes + <usize>code * bytes;
    let a = i16x8.splat(0);
    let b = a;
    let c = a;
    let d = a;
    const last = steps + (bytes << 5);
    for (let table = steps; table < last; table += 32) {
      const lows = v128.load(table);
      const highs = v128.load(table, 16);
      const one = v128.load(at);
      const two = v128.load(at, 16);
      const x = i8x16.add(
        i8x16.swizzle(lows, v128.and(one, low)),
        i8x16.swizzle(highs, i8x16.shr_u(one, 4)),
      );
      const y = i8x16.add(
        i8x16.swizzle(lows, v128.and(two, low)),
        i8x16.swizzle(highs, i8x16.shr_u(two, 4)),
      );
      a = i16x8.add(a, i16x8.extend_low_i8x16_u(x));
      b = i16x8.add(b, i16x8.extend_high_i8x16_u(x));
      c = i16x8.add(c, i16x8.extend_low_i8x16_u(y));
      d = i16x8.add(d, i16x8.extend_high_i8x16_u(y));
      at += 32;
    }
    const constants = <usize>job.constants + (<usize>code << 1);
    a = i16x8.le_u(add(a, v128.load(constants), factor), bound);
    b = i16x8.le_u(add(b, v128.load(constants, 16), factor), bound);
    c = i16x8.le_u(add(c, v128.load(constants, 32), factor), bound);
    d = i16x8.le_u(add(d, v128.load(constants, 48), factor), bound);
    if (!v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) continue;
    let left: u32 =
      <u32>i8x16.bitmask(i8x16.narrow_i16x8_s(a, b)) | (<u32>i8x16.bitmask(i8x16.narrow_i16x8_s(c, d)) << 16);
    if (job.allowed) left &= load<u32>(<usize>job.allowed + (<usize>code >> 3));
    if (!left) continue;
    for (; left; left &= left - 1) {
      const one = code + <u32>ctz(left);
      if (one >= end) break;
      const key = ordered(costOf(job, query, one));
      if (key < limitOf(job, thread, query)) found(job, thread, query, one, key);
    }
    near = nearest(job, thread, query, scale);
    if (near < 0) return;
    bound = i16x8.splat(<i16>near);
  }
}

/** The sum of steps above which no code can cost less than the limit; -1 where none can. */
@inline
function nearest(job: Job, thread: u32, query: u32, scale: usize): i32 {
  const limit = limitOf(job, thread, query);
  // Two steps more: one that the constants are rounded by, one for the rounding of float32.
  const steps = (costIn(limit) - load<f32>(scale)) * load<f32>(scale, 4) + 2;
  return steps < 0 ? -1 : steps < 65535 ? <i32>steps : 65535;
}

@inline
function add(sum: v128, constants: v128, factor: v128): v128 {
  return i16x8.add_sat_u(sum, i16x8.q15mulr_sat_s(constants, factor));
}

/** The cost of a code in float32, added up in the order of its bytes. */
function costOf(job: Job, query: u32, code: u32): f32 {
  const bytes = <usize>job.stride;
  let at = <usize>job.codes + <usize>(code & ~31) * bytes + <usize>(code & 31);
  let table = <usize>job.tables + ((<usize>query * bytes) << 7);
  let cost = job.least + job.unit * <f32>load<u16>(<usize>job.constants + (<usize>code << 1));
  const last = table + (bytes << 7);
  for (; table < last; table += 128) {
    const byte = <usize>load<u8>(at);
    cost += load<f32>(table + ((byte & 15) << 2));
    cost += load<f32>(table + ((byte >> 4) << 2), 64);
    at += 32;
  }
  return cost;
}

/** Whole numbers in the order of float32: those with the sign bit are complemented, the others get it. */
@inline
function ordered(x: f32): u32 {
  const bits = reinterpret<u32>(x);
  return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

/** The float32 of such a number; Infinity for the largest, which stands for an empty place. */
@inline
function costIn(key: u32): f32 {
  if (key > 0xff800000) return Infinity;
  return reinterpret<f32>(key & 0x80000000 ? key & 0x7fffffff : ~key);
}

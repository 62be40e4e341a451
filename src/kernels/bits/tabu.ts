/**
 * Search among the bits of one row on a quadratic model of its loss,
 *
 *     q(e) = g . (e - c) + (1/2) (e - c)^T Q (e - c)      around a centre c in the box.
 *
 * A flip there costs H multiply-adds instead of V H, so many are made: always the best one that is not tabu,
 * uphill too, and a bit that was flipped rests for a while (F. Glover, ORSA Journal on Computing 1, 1989).
 * The best codes met on the way are then judged by the loss itself; see probe.ts.
 */
import { aligned, fours, madd } from '../simd';

/** Vectors of `free` floats, padded to four. */
@unmanaged
export class Tabu {
  n: u32;
  /** Steps made so far. */
  step: u32;
  random: u32;
  /** q at the present code, and the least met so far. */
  q: f32;
  least: f32;
  /** Q, n x n. */
  Q: usize;
  /** Twice the bits. */
  e: usize;
  /** Gradient of q. */
  r: usize;
  /** Twice the diagonal of Q; infinite in the padding, which therefore never flips. */
  bend: usize;
  /** Step from which on a bit may flip again. */
  until: usize;
  /** The best code of a stretch of steps, like e, and its q. */
  best: usize;
  bestQ: f32;
}

const HEADER: u32 = 64;

export function tabuBytes(free: u32): u32 {
  const n = fours(free);
  return HEADER + aligned((n * n) << 2) + 5 * aligned(n << 2);
}

export function openTabu(at: usize, free: u32): Tabu {
  const tabu = changetype<Tabu>(at);
  const n = fours(free);
  const vector = <usize>aligned(n << 2);
  tabu.n = n;
  tabu.Q = at + HEADER;
  tabu.e = tabu.Q + <usize>aligned((n * n) << 2);
  tabu.r = tabu.e + vector;
  tabu.bend = tabu.r + vector;
  tabu.until = tabu.bend + vector;
  tabu.best = tabu.until + vector;
  return tabu;
}

/**
 * The model of a row: `square` is the lower triangle of Q / scale (free x free), `g` the gradient at the
 * centre and `centre` itself `stride` bytes apart, `code` the bits to set out from.
 */
export function beginTabu(
  tabu: Tabu,
  free: u32,
  square: usize,
  scale: f32,
  g: usize,
  centre: usize,
  stride: usize,
  code: usize,
): void {
  const n = <usize>tabu.n;
  memory.fill(tabu.Q, 0, (n * n) << 2);
  for (let i: usize = 0; i < <usize>free; i++) {
    for (let j: usize = 0; j <= i; j++) {
      const value = scale * load<f32>(square + ((i * <usize>free + j) << 2));
      store<f32>(tabu.Q + ((i * n + j) << 2), value);
      store<f32>(tabu.Q + ((j * n + i) << 2), value);
    }
  }
  memory.fill(tabu.e, 0, n << 2);
  memory.fill(tabu.r, 0, n << 2);
  memory.fill(tabu.until, 0, n << 2);
  for (let i: usize = 0; i < n; i++) {
    const inside = i < <usize>free;
    store<f32>(tabu.bend + (i << 2), inside ? 2 * load<f32>(tabu.Q + ((i * n + i) << 2)) : Infinity);
    if (!inside) continue;
    store<f32>(tabu.e + (i << 2), 2 * load<f32>(code + (i << 2)));
    store<f32>(tabu.r + (i << 2), load<f32>(g + i * stride));
  }
  tabu.step = 0;
  tabu.random = 1;
  tabu.q = 0;
  for (let i: usize = 0; i < <usize>free; i++) {
    const away = load<f32>(code + (i << 2)) - load<f32>(centre + i * stride);
    if (away == 0) continue;
    // q grows by the mean of the gradients before and after.
    tabu.q += away * load<f32>(tabu.r + (i << 2));
    tabu.q += 0.5 * away * away * load<f32>(tabu.Q + ((i * n + i) << 2));
    addRow(tabu, i, away);
  }
  tabu.least = tabu.q;
}

/** Makes so many flips; `best` is then the best code met among them. */
export function stretch(tabu: Tabu, free: u32, steps: u32): void {
  const end = <usize>tabu.n << 2;
  const rest = free >> 3;
  tabu.bestQ = Infinity;
  for (const last = tabu.step + steps; tabu.step < last; tabu.step++) {
    const now = f32x4.splat(<f32>tabu.step);
    // A tabu bit may flip all the same where that leads below everything met so far.
    const wish = f32x4.splat(tabu.least - tabu.q - <f32>1e-4);
    let least = f32x4.splat(Infinity);
    let which = i32x4.splat(0);
    let index = i32x4(0, 1, 2, 3);
    for (let at: usize = 0; at < end; at += 16) {
      const change = f32x4.sub(v128.load(tabu.bend + at), f32x4.mul(v128.load(tabu.e + at), v128.load(tabu.r + at)));
      const open = v128.or(f32x4.le(v128.load(tabu.until + at), now), f32x4.lt(change, wish));
      const better = v128.and(open, f32x4.lt(change, least));
      least = v128.bitselect(change, least, better);
      which = v128.bitselect(index, which, better);
      index = i32x4.add(index, i32x4.splat(4));
    }
    let change = f32x4.extract_lane(least, 0);
    let h = i32x4.extract_lane(which, 0);
    if (f32x4.extract_lane(least, 1) < change) {
      change = f32x4.extract_lane(least, 1);
      h = i32x4.extract_lane(which, 1);
    }
    if (f32x4.extract_lane(least, 2) < change) {
      change = f32x4.extract_lane(least, 2);
      h = i32x4.extract_lane(which, 2);
    }
    if (f32x4.extract_lane(least, 3) < change) {
      change = f32x4.extract_lane(least, 3);
      h = i32x4.extract_lane(which, 3);
    }
    if (!(change < Infinity)) continue;
    const bit = <usize>h;
    const twice = load<f32>(tabu.e + (bit << 2));
    addRow(tabu, bit, -twice);
    store<f32>(tabu.e + (bit << 2), -twice);
    tabu.random = tabu.random * 1664525 + 1013904223;
    store<f32>(tabu.until + (bit << 2), <f32>(tabu.step + 1 + min(rest + (tabu.random >> 30), free >> 1)));
    tabu.q += change;
    if (tabu.q < tabu.bestQ) {
      tabu.bestQ = tabu.q;
      memory.copy(tabu.best, tabu.e, end);
      tabu.least = min(tabu.least, tabu.q);
    }
  }
}

/** r += factor times row h of Q. */
@inline
function addRow(tabu: Tabu, h: usize, factor: f32): void {
  const end = <usize>tabu.n << 2;
  const row = tabu.Q + h * end;
  const four = f32x4.splat(factor);
  for (let at: usize = 0; at < end; at += 16) {
    v128.store(tabu.r + at, madd(four, v128.load(row + at), v128.load(tabu.r + at)));
  }
}

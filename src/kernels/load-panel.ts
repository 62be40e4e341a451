/** Reads items into a panel: bits are expanded to floats, real rows transposed, missing entries marked. */
import { CODES, Job, POLISH, PROJECT, SOLVE } from './job';
import { gather, Panel } from './panel';
import { fill, vectorBytes } from './simd';

/**
 * Reads items `first` to `first + 8` (as far as `end`) into the panel: entries, weights and the moving
 * factor.
 */
export function loadPanel(job: Job, panel: Panel, first: u32, end: u32): void {
  panel.first = first;
  panel.lanes = min<u32>(8, end - first);
  panel.alone = panel.lanes == 1 && suitsAlone(job);
  // Lanes that nobody writes are 0, so that they have no slope and come to rest at once.
  if (panel.alone) memory.fill(panel.Z, 0, 5 * <usize>vectorBytes(job.width, 5));
  loadEntries(job, panel);
  const stride = <usize>job.width << 2;
  gather(job.Z + <usize>first * stride, stride, job.width, panel.lanes, panel.Z);
}

function suitsAlone(job: Job): bool {
  return job.side == CODES && !job.set && !job.losses && (job.kernel == SOLVE || job.kernel == POLISH);
}

/** Entries and weights only. */
export function loadEntries(job: Job, panel: Panel): void {
  const T = panel.T;
  const masked = T != 0 && (job.known != 0 || (job.values != 0 && job.missing != 0));
  const floats = panel.alone ? panel.K : panel.K << 3;
  if (job.values) {
    if (panel.alone) {
      memory.copy(panel.X, job.values + ((<usize>panel.first * <usize>job.V) << 2), <usize>job.V << 2);
    } else if (job.side == CODES) {
      const stride = <usize>job.V << 2;
      gather(job.values + <usize>panel.first * stride, stride, job.V, panel.lanes, panel.X);
    } else gatherColumns(job, panel);
    if (job.missing) maskMissing(panel, floats);
  } else if (panel.alone) {
    expandRow(job, panel, job.bits, panel.X, false);
    if (masked) expandRow(job, panel, job.known, T, true);
  } else if (job.side == CODES) {
    expandRows(job, panel, job.bits, panel.X, false);
    if (masked) expandRows(job, panel, job.known, T, true);
  } else {
    expandColumns(job, panel, job.bits, panel.X, false);
    if (masked) expandColumns(job, panel, job.known, T, true);
  }
  if (T) {
    if (!masked) fill(T, 1, floats);
    else if (job.known) multiply(panel.X, T, floats);
    // Products with the rows themselves have no use for weights.
    if (panel.alone) weighRow(job, panel);
    else if (job.kernel != PROJECT) weigh(job, panel);
  }
}

/** Eight bits as eight floats: 1 where the bit is set, -1 (or 0 for `mask`) where it is not. */
@inline
function expand(byte: u32, mask: bool, to: usize): void {
  const all = i32x4.splat(byte);
  const low = i32x4(1, 2, 4, 8);
  const high = i32x4(16, 32, 64, 128);
  const one = f32x4.splat(1);
  const sign = f32x4.splat(-0.0);
  const set0 = i32x4.eq(v128.and(all, low), low);
  const set1 = i32x4.eq(v128.and(all, high), high);
  v128.store(to, mask ? v128.and(one, set0) : v128.or(one, v128.andnot(sign, set0)));
  v128.store(to, mask ? v128.and(one, set1) : v128.or(one, v128.andnot(sign, set1)), 16);
}

/** The 8 x 8 bits of `x`, transposed: three rounds of swapping blocks. */
@inline
function transposeBits(x: u64): u64 {
  let t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aa;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000cccc0000cccc;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0;
  return x ^ t ^ (t << 28);
}

/** Side 'codes': lanes are rows, 8 x 8 blocks of bits are transposed. */
@inline
function expandRows(job: Job, panel: Panel, bits: usize, to: usize, mask: bool): void {
  const V = job.V;
  const bytes = <usize>((V + 7) >> 3);
  const lanes = panel.lanes;
  let from = bits + <usize>panel.first * bytes;
  for (let v: u32 = 0; v < V; v += 8, from++) {
    let block: u64 = 0;
    for (let l: u32 = 0; l < lanes; l++) block |= <u64>load<u8>(from + <usize>l * bytes) << (l << 3);
    block = transposeBits(block);
    const end = min<u32>(8, V - v);
    for (let j: u32 = 0; j < end; j++, to += 32, block >>= 8) expand(<u32>block & 255, mask, to);
  }
}

/** One row of bits, side by side, eight at a time: the arrays have room for that. */
function expandRow(job: Job, panel: Panel, bits: usize, to: usize, mask: bool): void {
  const bytes = <usize>((job.V + 7) >> 3);
  let from = bits + <usize>panel.first * bytes;
  for (const end = from + bytes; from < end; from++, to += 32) expand(<u32>load<u8>(from), mask, to);
}

/** Side 'weights': lanes are neighbouring bits, one byte (or two, when they straddle) a row. */
@inline
function expandColumns(job: Job, panel: Panel, bits: usize, to: usize, mask: bool): void {
  const bytes = <usize>((job.V + 7) >> 3);
  const byte = <usize>(panel.first >> 3);
  const shift = panel.first & 7;
  const straddles = shift + panel.lanes > 8;
  let from = bits + byte;
  const end = from + <usize>job.rows * bytes;
  for (; from < end; from += bytes, to += 32) {
    let eight = <u32>load<u8>(from) >> shift;
    if (straddles) eight |= <u32>load<u8>(from, 1) << (8 - shift);
    expand(eight & 255, mask, to);
  }
}

function gatherColumns(job: Job, panel: Panel): void {
  const stride = <usize>job.V << 2;
  let from = job.values + (<usize>panel.first << 2);
  const end = from + <usize>job.rows * stride;
  let to = panel.X;
  if (panel.lanes == 8) {
    for (; from < end; from += stride, to += 32) {
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
    }
    return;
  }
  for (; from < end; from += stride, to += 32) {
    for (let l: u32 = 0; l < 8; l++) {
      store<f32>(to + (<usize>l << 2), l < panel.lanes ? load<f32>(from + (<usize>l << 2)) : 0);
    }
  }
}

/** x *= y. */
function multiply(x: usize, y: usize, count: u32): void {
  const end = x + (<usize>count << 2);
  for (; x < end; x += 16, y += 16) v128.store(x, f32x4.mul(v128.load(x), v128.load(y)));
}

/** NaN becomes an entry 0 of weight 0. */
function maskMissing(panel: Panel, floats: u32): void {
  const one = f32x4.splat(1);
  const X = panel.X;
  const T = panel.T;
  const end = <usize>floats << 2;
  for (let at: usize = 0; at < end; at += 16) {
    const x = v128.load(X + at);
    const there = f32x4.eq(x, x);
    v128.store(X + at, v128.and(x, there));
    if (T) v128.store(T + at, v128.and(one, there));
  }
}

/** Weights of the known entries: `half`, the weights of columns, and on side 'weights' those of rows. */
function weigh(job: Job, panel: Panel): void {
  const codes = job.side == CODES;
  const along = <usize>(codes ? job.columnWeights : job.rowWeights);
  const across = <usize>(codes ? 0 : job.columnWeights);
  let lane0 = f32x4.splat(job.half);
  let lane1 = lane0;
  if (across) {
    gather(across + (<usize>panel.first << 2), 4, 1, panel.lanes, panel.state);
    lane0 = f32x4.mul(lane0, v128.load(panel.state));
    lane1 = f32x4.mul(lane1, v128.load(panel.state, 16));
  }
  let T = panel.T;
  for (let k: u32 = 0; k < panel.K; k++, T += 32) {
    const w = along ? v128.load_splat<f32>(along + (<usize>k << 2)) : f32x4.splat(1);
    v128.store(T, f32x4.mul(v128.load(T), f32x4.mul(w, lane0)));
    v128.store(T, f32x4.mul(v128.load(T, 16), f32x4.mul(w, lane1)), 16);
  }
}

/** The same for a row alone. */
function weighRow(job: Job, panel: Panel): void {
  const along = <usize>job.columnWeights;
  for (let k: usize = 0; k < <usize>panel.K << 2; k += 4) {
    const w = along ? load<f32>(along + k) : 1;
    store<f32>(panel.T + k, load<f32>(panel.T + k) * (w * job.half));
  }
}

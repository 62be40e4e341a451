/**
 * A panel: eight items (rows on side 'codes', bits on side 'weights') worked on together, one a lane, in the
 * private memory of a thread. All of its arrays have eight floats an index, the lanes next to each other.
 */
import { Job } from './job';
import { madd, transpose4, vectorBytes } from './simd';

@unmanaged
export class Panel {
  K: u32;
  /** First item, and how many of the eight lanes hold one. */
  first: u32;
  lanes: u32;
  /**
   * Whether a single row is worked on, in lane 0; X, T, M, Md, R and C then hold K floats each (alone.ts).
   */
  alone: bool;
  /** Entries x (0 where missing), and their weights; 0 when all weigh `job.half`. K x 8. */
  X: usize;
  T: usize;
  /** Scores, their change along the direction, residuals, curvatures. K x 8. */
  M: usize;
  Md: usize;
  R: usize;
  C: usize;
  /** Codes, direction, gradient, preconditioned gradient, the gradient before. width x 8. */
  Z: usize;
  D: usize;
  G: usize;
  P: usize;
  before: usize;
  /** Sixteen vectors of eight floats, for the state of each lane. */
  state: usize;
}

const HEADER: u32 = 128;
const STATE: u32 = 16 * 32;

/** Bytes of a panel with all its arrays. */
export function panelBytes(job: Job): u32 {
  return HEADER + STATE + 6 * vectorBytes(job.K, 5) + 5 * vectorBytes(job.width, 5);
}

export function openPanel(job: Job, at: usize): Panel {
  const panel = changetype<Panel>(at);
  const t = vectorBytes(job.K, 5);
  const w = vectorBytes(job.width, 5);
  panel.K = job.K;
  panel.alone = false;
  panel.state = at + HEADER;
  at += HEADER + STATE;
  panel.X = at;
  panel.T = job.weighted ? at + t : 0;
  panel.M = at + 2 * t;
  panel.Md = at + 3 * t;
  panel.R = at + 4 * t;
  panel.C = at + 5 * t;
  at += 6 * t;
  panel.Z = at;
  panel.D = at + w;
  panel.G = at + 2 * w;
  panel.P = at + 3 * w;
  panel.before = at + 4 * w;
  return panel;
}

/** Bytes from one entry of X, T, M, Md, R or C to the next. */
export function pitchOf(panel: Panel): usize {
  return panel.alone ? 4 : 32;
}

/** Writes the moving factor back. */
export function storePanel(job: Job, panel: Panel): void {
  const stride = <usize>job.width << 2;
  scatter(panel.Z, job.width, panel.lanes, job.Z + <usize>panel.first * stride, stride);
}

/** Rows of `count` floats, `stride` bytes apart, to [count][8]; lanes without a row are 0. */
export function gather(from: usize, stride: usize, count: u32, lanes: u32, to: usize): void {
  if (lanes == 8) {
    let h: u32 = 0;
    for (; h + 4 <= count; h += 4, from += 16, to += 128) {
      transpose4(from, stride, to, 32);
      transpose4(from + 4 * stride, stride, to + 16, 32);
    }
    count -= h;
  }
  for (let h: u32 = 0; h < count; h++, from += 4, to += 32) {
    for (let l: u32 = 0; l < 8; l++) {
      store<f32>(to + (<usize>l << 2), l < lanes ? load<f32>(from + <usize>l * stride) : 0);
    }
  }
}

/** [count][8] to rows of `count` floats, `stride` bytes apart. */
export function scatter(from: usize, count: u32, lanes: u32, to: usize, stride: usize): void {
  if (lanes == 8) {
    let h: u32 = 0;
    for (; h + 4 <= count; h += 4, from += 128, to += 16) {
      transpose4(from, 32, to, stride);
      transpose4(from + 16, 32, to + 4 * stride, stride);
    }
    count -= h;
  }
  for (let h: u32 = 0; h < count; h++, from += 32, to += 4) {
    for (let l: u32 = 0; l < lanes; l++) store<f32>(to + <usize>l * stride, load<f32>(from + (<usize>l << 2)));
  }
}

/** One float a lane, to the place of its item. */
export function writeLanes(panel: Panel, from: usize, to: usize): void {
  for (let l: u32 = 0; l < panel.lanes; l++) {
    store<f32>(to + (<usize>(panel.first + l) << 2), load<f32>(from + (<usize>l << 2)));
  }
}

/** out (8) = sum over `count` of a[i] b[i], lane by lane. */
export function dot(a: usize, b: usize, count: u32, out: usize): void {
  let s0 = f32x4.splat(0);
  let s1 = s0;
  const end = a + (<usize>count << 5);
  for (; a < end; a += 32, b += 32) {
    s0 = madd(v128.load(a), v128.load(b), s0);
    s1 = madd(v128.load(a, 16), v128.load(b, 16), s1);
  }
  v128.store(out, s0);
  v128.store(out, s1, 16);
}

/** y[i] += a x[i] for `count` indices, each lane with its own a (8). */
export function addScaled(a: usize, x: usize, count: u32, y: usize): void {
  const a0 = v128.load(a);
  const a1 = v128.load(a, 16);
  const end = x + (<usize>count << 5);
  for (; x < end; x += 32, y += 32) {
    v128.store(y, madd(a0, v128.load(x), v128.load(y)));
    v128.store(y, madd(a1, v128.load(x, 16), v128.load(y, 16)), 16);
  }
}

import type { PanelSpec } from '../panel.ts';
import type { Fields } from '../params.ts';
import { range } from './text.ts';

/**
 * How far the code of a row (or the weights of a bit) is from its optimum at most, proven in float32, for
 * cross-entropy; one workgroup per row.
 *
 * Let g be the gradient at the code, H = sum_k c_k a_k a_k^T its Hessian, L L^T <= H, and lambda = |L^-1 g|.
 * Because |Psi'''| <= Psi'', with h(s) = 2 (e^-s + s - 1) / s^2 (docs/gpu.md)
 *
 *     loss(e) - min loss  <=  lambda^2 / (2 b h(s))        where 2 lambda alpha <= b s h(s)
 *
 * Here alpha is an edge of our choice, and b the share of the Hessian that is left without the entries whose
 * |L^-1 a_k| lies beyond it. There are always a few such entries, and they hardly bend: c_k |L^-1 a_k|^2 is
 * at most 1.
 *
 * L comes from a matrix X of any origin (`wgsl/inverses.ts` has one with X H X^T near I). With y_k = X a_k
 * the program adds up M = sum_k c_k y_k y_k^T; its distance from I, and what rounding may have done, give low
 * <= the least eigenvalue of X H X^T. So L^-1 = X / sqrt(low) will do. Rounding costs EPS |X|, not EPS |X|^2
 * as in a factor of H itself. A ridge is a part of f whose Hessian is known exactly and never bends: it
 * counts as entries of their own, which nothing leaves out.
 *
 * Of codes, coordinates on a bound that g presses against do not count. Where H is too flat there remain the
 * gap of Frank and Wolfe, and the loss itself, since none is below 0.
 */
export function proofProgram({ R, W4, chunk, threads, tiles, ridged }: ProofSpec): string {
  const C4 = chunk / 4;
  const mine = range(tiles);
  const four = range(4);
  return /* wgsl */ `
const T = ${threads}u;
const R = ${R}u;
const EPS = 1.1920929e-7;
// Entries count whose |L^-1 a_k| is at most this share of 1 / lambda.
const EDGE = 0.377;
// Unit j of entries 4 k to 4 k + 3 at ${C4} j + k; y of entry k, units 4 i to 4 i + 3, at F4 k + i; curvatures.
var<workgroup> A: array<vec4f, ${4 * W4 * C4}>;
var<workgroup> Y: array<vec4f, ${chunk * W4}>;
var<workgroup> bends: array<vec4f, ${C4}>;
var<workgroup> diagonal: array<f32, ${4 * W4}>;
var<workgroup> stage: array<vec4f, T>;
var<workgroup> sums: vec4f;
var<workgroup> done: bool;

@compute @workgroup_size(T) fn main(
  @builtin(local_invocation_index) t: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let row = group.y * groups.x + group.x;
  if (params.start + row >= params.end) { return; }
  let n = params.free;
  let F4 = params.F4;
  let sizesAt = (row / R) * params.perPanel + (row % R) * params.K4;
  let bendsAt = sizesAt + R * params.K4;
  let X = row * (n + 1u) * F4;
  let fact = row * (2u * n + 2u);
  let code = (params.codesAt + params.start + row) * params.width;
  let shaken = facts[fact + 2u * n + 1u];
  if (t == 0u) { done = settled[row] != 0.0; }
  if (workgroupUniformLoad(&done)) {
    // Nothing is below a loss of 0.
    if (t == 0u) { gaps[params.start + row] = 1.0001 * (losses[params.start + row] + facts[fact + 2u * n]) + 1e-9; }
    return;
  }

  // |X S^-1|, where scales S make the units alike.
  var part = 0.0;
  for (var i = t; i < n; i += T) {
    for (var j = 0u; j <= i; j++) {
      let x = factors[X + j * F4 + (i >> 2u)][i & 3u] / scale(X, j);
      part = fma(x, x, part);
    }
  }
  let length = sqrt(together(vec4f(part, 0.0, 0.0, 0.0), t).x) * 1.001;
  // What y_k may be wrong by, as a share of |S a_k|.
  let loose = 1.01 * f32(n + 3u) * EPS * length;

  var away = 0.0;
  var trace = 0.0;
  var plain = 0.0;
  let all = F4 * (F4 + 1u) / 2u;
  for (var tile = 0u; tile < all; tile += ${tiles}u * T) {
    ${mine
      .map(
        (p) => `let tile${p} = tileOf(tile + ${p}u * T + t, all);
    ${four.map((u) => `var m${p}_${u} = vec4f(0.0);`).join(' ')}`,
      )
      .join('\n    ')}
    for (var low4 = 0u; low4 < params.K4; low4 += ${C4}u) {
      workgroupBarrier();
      for (var e = t; e < n * ${C4}u; e += T) {
        let k4 = low4 + e % ${C4}u;
        var a = vec4f(0.0);
        if (k4 < params.K4) { a = held[(e / ${C4}u) * params.K4 + k4]; }
        A[e] = a;
      }
      for (var e = t; e < ${C4}u; e += T) {
        var c = vec4f(0.0);
        if (low4 + e < params.K4) { c = scratch[bendsAt + low4 + e]; }
        bends[e] = c;
      }
      workgroupBarrier();
      for (var e = t; e < ${C4}u * F4; e += T) {
        let k4 = e % ${C4}u;
        let i4 = e / ${C4}u;
        ${four.map((u) => `var y${u} = vec4f(0.0);`).join(' ')}
        for (var j = 0u; j < min(n, 4u * i4 + 4u); j++) {
          let x = factors[X + j * F4 + i4];
          let a = A[${C4}u * j + k4];
          ${four.map((u) => `y${u} = fma(vec4f(x[${u}]), a, y${u});`).join(' ')}
        }
        ${four
          .map((u) => `Y[(4u * k4 + ${u}u) * F4 + i4] = vec4f(${four.map((v) => `y${v}[${u}]`).join(', ')});`)
          .join('\n        ')}
      }
      workgroupBarrier();
      if (tile == 0u) {
        for (var h = t; h < n; h += T) {
          var sum = select(diagonal[h], ${ridged ? 'select(0.0, params.ridge, h < params.ridged)' : '0.0'}, low4 == 0u);
          for (var k4 = 0u; k4 < ${C4}u; k4++) {
            let a = A[${C4}u * h + k4];
            sum += dot(bends[k4] * a, a);
          }
          diagonal[h] = sum;
        }
        for (var k4 = t; k4 < ${C4}u; k4 += T) {
          var size = vec4f(0.0);
          for (var i4 = 0u; i4 < F4; i4++) {
            ${four.map((u) => `let y${u} = Y[(4u * k4 + ${u}u) * F4 + i4];`).join(' ')}
            size += vec4f(${four.map((u) => `dot(y${u}, y${u})`).join(', ')});
          }
          var own = vec4f(0.0);
          for (var j = 0u; j < n; j++) {
            let a = scale(X, j) * A[${C4}u * j + k4];
            own = fma(a, a, own);
          }
          plain += dot(bends[k4], own);
          if (low4 + k4 < params.K4) { scratch[sizesAt + low4 + k4] = sqrt(size) * 1.001 + loose * sqrt(own); }
        }
      }
      ${mine
        .map(
          (p) => `if (tile${p}.z > 0u) {
        ${four.map((u) => `var b${u} = vec4f(0.0);`).join(' ')}
        for (var k = 0u; k < ${chunk}u; k++) {
          let x = bends[k >> 2u][k & 3u] * Y[F4 * k + tile${p}.x];
          let y = Y[F4 * k + tile${p}.y];
          ${four.map((u) => `b${u} = fma(vec4f(x[${u}]), y, b${u});`).join(' ')}
        }
        ${four.map((u) => `m${p}_${u} += b${u};`).join(' ')}
      }`,
        )
        .join('\n      ')}
    }
    ${ridged ? mine.map((p) => ridgeOf(p)).join('\n    ') : ''}
    workgroupBarrier();
    ${mine
      .map(
        (p) => `if (tile${p}.z > 0u) {
      ${four
        .map(
          (u) =>
            `{ let seen = distance(4u * tile${p}.x + ${u}u, 4u * tile${p}.y, m${p}_${u}); away += seen.x; trace += seen.y; }`,
        )
        .join('\n      ')}
    }`,
      )
      .join('\n    ')}
  }
  storageBarrier();
  workgroupBarrier();

  // The gap of Frank and Wolfe; whether anything leads along a unit that does not bend; and |X g|.
  var linear = 0.0;
  var flat = 0.0;
  for (var h = t; h < n; h += T) {
    let slope = slopeAt(code, fact, h, shaken);
    let z = codes[code + h];
    let g = facts[fact + h];
    let wrong = facts[fact + n + h] + shaking(h, shaken);
    ${ridged ? '' : 'linear += g * z + params.radius * abs(g) + (params.radius + abs(z)) * wrong;'}
    if (diagonal[h] == 0.0 && (slope.x != 0.0 || slope.y != 0.0 || leads(h))) { flat = 1.0; }
  }
  var decrement = 0.0;
  for (var i = t; i < n; i += T) {
    var v = 0.0;
    var wrong = 0.0;
    for (var j = 0u; j <= i; j++) {
      let x = factors[X + j * F4 + (i >> 2u)][i & 3u];
      let slope = slopeAt(code, fact, j, shaken);
      v = fma(x, slope.x, v);
      wrong = fma(abs(x), 1.01 * slope.y + f32(n + 3u) * EPS * abs(slope.x), wrong);
    }
    let most = abs(v) + 1.01 * wrong;
    decrement = fma(most, most, decrement);
  }
  let one = together(vec4f(away, trace, decrement, linear), t);
  let two = together(vec4f(plain, flat, 0.0, 0.0), t);
  // How far X H X^T is from I at most, and its least and largest eigenvalues.
  let seen = sqrt(one.x) * 1.001 + 1.02 * (${chunk + 4}.0 + f32((params.K4 + ${C4 - 1}u) / ${C4}u)${ridged ? ' + f32(n) + 4.0' : ''}) * EPS * one.y;
  let shift = 1.02 * loose * sqrt(two.x);
  let low = 1.0 - seen - 2.01 * sqrt(1.0 + seen) * shift;
  let high = 1.06 * (1.0 + seen + 2.01 * sqrt(1.0 + seen) * shift + shift * shift);
  var lambda = 1e18;
  if (low > 0.05) { lambda = 1.001 * (sqrt(one.z) * 1.001 + sqrt(high * shaken)) / sqrt(low); }

  // The share of the Hessian that entries beyond the edge have at most.
  let edge = sqrt(max(low, 0.0)) * EDGE / max(lambda, 1e-12);
  var share = 0.0;
  for (var k4 = t; k4 < params.K4; k4 += T) {
    let size = scratch[sizesAt + k4];
    // Curvatures may be a little larger than what was put down as certain.
    share += dot(select(vec4f(0.0), 1.05 * size * size, size > vec4f(edge)), scratch[bendsAt + k4]);
  }
  let left = 1.0 - 1.01 * together(vec4f(share, 0.0, 0.0, 0.0), t).x / max(low, 0.05);
  if (t == 0u) {
    let f = losses[params.start + row];
    // Nothing is below a loss of 0; Frank and Wolfe; and the bound of second order, with scores that change
    // by 2, or 4, at most.
    ${ridged ? 'var gap = 1e18;' : 'var gap = min(f + facts[fact + 2u * n], max(0.0, one.w + 2e-5 * abs(one.w)));'}
    if (lambda < 1e9 && two.y == 0.0) {
      let square = lambda * lambda;
      if (1.135 * left >= 2.01 * EDGE) { gap = min(gap, square / (1.1352 * left)); }
      else if (1.509 * left >= 2.01 * EDGE) { gap = min(gap, square / (0.7544 * left)); }
    }
    gaps[params.start + row] = gap * 1.0001 + 1e-9;
  }
}

/** Whether a unit has an entry at all, be it so small that float32 computes with 0 instead. */
fn leads(h: u32) -> bool {
  for (var k4 = 0u; k4 < params.K4; k4++) {
    if (any((bitcast<vec4u>(held[h * params.K4 + k4]) << vec4u(1u)) != vec4u(0u))) { return true; }
  }
  return false;
}

/** The scale of a unit. */
fn scale(X: u32, j: u32) -> f32 {
  return factors[X + params.free * params.F4 + (j >> 2u)][j & 3u];
}

/** Two groups of units, and whether there are such ones. */
fn tileOf(tile: u32, all: u32) -> vec3u {
  var i = u32((sqrt(8.0 * f32(tile) + 1.0) - 1.0) * 0.5);
  // The root may be off by one.
  if (i * (i + 1u) / 2u > tile) { i--; }
  if ((i + 1u) * (i + 2u) / 2u <= tile) { i++; }
  return select(vec3u(0u), vec3u(i, tile - i * (i + 1u) / 2u, 1u), tile < all);
}

/**
 * Of four numbers of M in row i, columns j to j + 3, the squares of what they are away from I; and the trace.
 */
fn distance(i: u32, j: u32, m: vec4f) -> vec2f {
  var out = vec2f(0.0);
  for (var v = 0u; v < 4u; v++) {
    if (i >= params.free || j + v > i) { continue; }
    let on = i == j + v;
    // A unit that bends nothing has no share in I.
    let off = m[v] - select(0.0, 1.0, on && diagonal[i] > 0.0);
    out += vec2f(select(2.0, 1.0, on) * off * off, select(0.0, m[v], on));
  }
  return out;
}

/** Errors of scores shake the gradient along unit h by no more than this (Cauchy and Schwarz). */
fn shaking(h: u32, shaken: f32) -> f32 {
  return 1.05 * sqrt(diagonal[h] * shaken);
}

/**
 * A number of the gradient, and what it may be wrong by beside what shakes all of them. On a bound only what
 * leads inside can gain: a gradient of the code's own sign. Of what is held there is no slope; what shakes it
 * was counted with the others.
 */
fn slopeAt(code: u32, fact: u32, h: u32, shaken: f32) -> vec2f {
  let z = codes[code + h];
  ${
    ridged
      ? `let ridge = select(0.0, params.ridge * z, h < params.ridged);
  let g = facts[fact + h] + ridge;
  let rounding = facts[fact + params.free + h] + 4.0 * EPS * (abs(ridge) + abs(g)) + select(0.0, 1e-32, params.ridge > 0.0);
  return vec2f(g, rounding);`
      : `let g = facts[fact + h];
  let rounding = facts[fact + params.free + h];
  let shakes = shaking(h, shaken);
  let held = abs(z) >= params.radius && sign(z) * g + rounding + shakes <= 0.0;
  return select(vec2f(g, rounding), vec2f(0.0, shakes), held);`
  }
}

/** Sums over all threads, in a fixed order. */
fn together(mine: vec4f, t: u32) -> vec4f {
  workgroupBarrier();
  stage[t] = mine;
  for (var half = T / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (t < half) { stage[t] += stage[t + half]; }
  }
  if (t == 0u) { sums = stage[0]; }
  return workgroupUniformLoad(&sums);
}
`;
}

/** What a ridge adds to a tile of M: the columns of X, as those of entries that bend by it. */
const ridgeOf = (p: number) => /* wgsl */ `if (tile${p}.z > 0u) {
      for (var j = 0u; j < min(params.ridged, 4u * tile${p}.y + 4u); j++) {
        let x = params.ridge * factors[X + j * F4 + tile${p}.x];
        let y = factors[X + j * F4 + tile${p}.y];
        ${range(4)
          .map((u) => `m${p}_${u} = fma(vec4f(x[${u}]), y, m${p}_${u});`)
          .join(' ')}
      }
    }`;

/**
 * What a proof's program depends on: entries at a time, threads, and groups of units whose products a thread
 * adds up.
 */
export interface ProofSpec extends Pick<PanelSpec, 'R' | 'W4'> {
  readonly chunk: number;
  readonly threads: number;
  readonly tiles: number;
  /** Whether there is a ridge, or at least no box. */
  readonly ridged: boolean;
}

/** The program for items of up to 4 W4 numbers, where a workgroup has so many `bytes`. */
export function proofSpec({ R, W4 }: Pick<PanelSpec, 'R' | 'W4'>, ridged: boolean, bytes: number): ProofSpec {
  const all = (W4 * (W4 + 1)) / 2;
  const threads = [64, 128].find((count) => count >= all) ?? 256;
  const most = Math.min(MOST_BYTES, bytes - 16 * (threads + W4) - 512);
  const chunk = [64, 32, 16].find((count) => 32 * W4 * count <= most) ?? 8;
  return { R, W4, chunk, threads, tiles: Math.min(MOST_TILES, Math.ceil(all / threads)), ridged };
}

/** Of the workgroup's memory for entries. */
const MOST_BYTES = 27_000;
/** Products that a thread has registers for. */
const MOST_TILES = 3;

export const proofFields = {
  K4: 'u32',
  free: 'u32',
  F4: 'u32',
  width: 'u32',
  codesAt: 'u32',
  start: 'u32',
  end: 'u32',
  perPanel: 'u32',
  radius: 'f32',
  ridge: 'f32',
  ridged: 'u32',
} as const satisfies Fields;

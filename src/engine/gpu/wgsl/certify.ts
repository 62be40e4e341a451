import type { PanelSpec } from '../panel.ts';
import type { Fields } from '../params.ts';
import {
  backFunction,
  ENTRY,
  each,
  gatherLanes,
  panelFields,
  panelLibrary,
  range,
  settled,
} from './panel.ts';

/**
 * How far the codes of a panel are from their optimum, proven in float32, for cross-entropy of true bits.
 *
 * WGSL rounds +, - and * to a neighbour (by EPS = 2^-23 at most, whichever way), exp by (3 + 2 |x|) EPS and division by 2.5.
 * Every sum below carries along a bound on what it may be wrong by. Let g be the gradient at the code, H its Hessian,
 * L L^T <= H, and lambda = |L^-1 g|. Because |Psi'''| <= Psi'', with h(s) = 2 (e^-s + s - 1) / s^2 (docs/gpu.md)
 *
 *     loss(e) - min loss  <=  lambda^2 / (2 b h(s))        where 2 lambda alpha <= b s h(s)
 *
 * Here alpha is an edge of our choice, and b the share of the Hessian that is left without the entries whose |L^-1 a_k| lies
 * beyond it. There are always a few such entries, and they hardly bend: c_k |L^-1 a_k|^2 is at most 1.
 * Coordinates on a bound that g presses against do not count. L is Cholesky's factor, in float32, of the scaled Hessian less
 * s on its diagonal, where s is what forming and factoring it may have got wrong: (numbers added) EPS trace. Its inverse X
 * is computed, too; |L X - I| <= rho = n EPS |L| |X| says how far that may be trusted. Where H is too flat for all of this
 * there remain the gap of Frank and Wolfe, and the loss itself, since none is below 0.
 */
export function certifyProgram(spec: PanelSpec): string {
  const { R, W4 } = spec;
  const lanes = range(R);
  const RV = R / 4;
  return /* wgsl */ `${panelLibrary({ ...spec, losses: false, exact: true })}
const EPS = 1.1920929e-7;
// Entries count whose |L^-1 a_k| is at most this share of 1 / lambda.
const EDGE = 0.377;
var<workgroup> N: array<vec4f, ${4 * W4 * RV}>;
var<workgroup> powers: array<f32, ${4 * W4}>;
var<workgroup> column: array<f32, ${4 * W4}>;
var<workgroup> shared0: f32;
var<workgroup> shared1: f32;
var<private> base: u32;

/** Sums of |a| |e|: what the rounding of scores is a share of. */
fn sizes(k4: u32) -> array<vec4f, R> {
  var out = array<vec4f, R>();
  for (var h = 0u; h < params.width; h++) {
    let a = abs(held[h * params.K4 + k4]);
    ${range(RV)
      .map((q) => `let d${q} = abs(Z[h * RV + ${q}u]);`)
      .join('\n    ')}
    ${lanes.map((l) => `out[${l}] = fma(a, vec4f(d${l >> 2}.${'xyzw'[l & 3]}), out[${l}]);`).join('\n    ')}
  }
  return out;
}

${backFunction(spec, 'magnitudes', 'N', 'abs')}

${ENTRY(`
  base = (group.y * groups.x + group.x) * params.perSquare;
  loadCodes();
  scores();
  back();
  looseEnds();
  ${settled(spec)}
  magnitudes();
  lossesAndErrors();
  curvatures();
  ${settled(spec)}
  for (var l = 0u; l < R; l++) { certifyLane(l); }
`)}

/** Md = what scores may be wrong by; residuals become what they and their sums may be wrong by at the scores as they are. */
fn looseEnds() {
  let share = f32(11u + (params.width + 7u) / 8u) * EPS;
  for (var k4 = t; k4 < params.K4; k4 += T) {
    let size = sizes(k4);
    ${each(
      spec,
      `let m = scratch[Ms + l * params.K4 + k4];
      let off = 1.01 * share * size[l] + 1e-30;
      scratch[Mds + l * params.K4 + k4] = off;
      let weight = weightsAt(l, k4);
      let r = abs(weight * slopeLess(m, entriesAt(l, k4)));
      let wrong = r * (16.0 + 2.0 * abs(m) + params.summed) * EPS;
      // Scores as loose as this prove nothing.
      putResidual(l, k4, select(1.01 * wrong + 1e-32, vec4f(1e6), off > vec4f(0.01)));`,
    )}
  }
}

/** sums[0..] = losses, sums[RV..] = what they may be wrong by, sums[2 RV..] = the scores' errors in the metric of their curvatures. */
fn lossesAndErrors() {
  workgroupBarrier();
  var f = array<f32, R>();
  var wrong = array<f32, R>();
  var shaken = array<f32, R>();
  for (var k4 = t; k4 < params.K4; k4 += T) {
    let inside = vec4f(4u * k4 + vec4u(0u, 1u, 2u, 3u) < vec4u(params.K));
    ${each(
      spec,
      `let m = scratch[Ms + l * params.K4 + k4];
      let x = entriesAt(l, k4);
      let off = scratch[Mds + l * params.K4 + k4];
      let weight = inside * weightsAt(l, k4);
      let one = well(m, x);
      f[l] += dot(weight, one);
      let rounding = one * (params.added + 20.0 + 2.0 * abs(m)) * EPS + (abs(slopeLess(m, x)) * 1.0001 + 0.5 * off) * off;
      wrong[l] += 1.01 * dot(weight, rounding + 1e-30);
      shaken[l] += 1.05 * dot(weight * bend(m) * off, off);`,
    )}
  }
  ${gatherLanes(spec, 'f', 0)}
  ${gatherLanes(spec, 'wrong', RV)}
  ${gatherLanes(spec, 'shaken', 2 * RV)}
  collect(3u * RV, T, NEVER);
}

/** Residuals become curvatures, no larger than the true ones. */
fn curvatures() {
  for (var k4 = t; k4 < params.K4; k4 += T) {
    ${each(
      spec,
      `let m = scratch[Ms + l * params.K4 + k4];
      let off = scratch[Mds + l * params.K4 + k4];
      let sure = 1.0 - 1.01 * off - (24.0 + 4.0 * abs(m)) * EPS;
      putResidual(l, k4, weightsAt(l, k4) * bend(m) * max(sure, vec4f(0.0)));`,
    )}
  }
}

fn squareAt(i: u32, j: u32) -> u32 {
  return base + i * params.free + j;
}

/** A number that every thread needs. */
fn tell(value: f32, who: bool) -> f32 {
  if (who) { shared0 = value; }
  return workgroupUniformLoad(&shared0);
}

fn certifyLane(l: u32) {
  let q = l >> 2u;
  let i = l & 3u;
  let n = params.free;
  let mine = t == 0u;
  hessian(l);
  storageBarrier();
  workgroupBarrier();
  // Scales that are powers of two, so that scaling is exact, bring the diagonal to between 1/2 and 2.
  for (var h = t; h < n; h += T) {
    let d = square[squareAt(h, h)];
    powers[h] = select(1.0, exp2(-round(0.5 * log2(max(d, 1e-30)))), d > 0.0);
    if (d == 0.0) { square[squareAt(h, h)] = 1.0; }
  }
  storageBarrier();
  workgroupBarrier();
  for (var e = t; e < n * n; e += T) { square[n * n + base + e] = square[base + e] * powers[e / n] * powers[e % n]; }
  storageBarrier();
  workgroupBarrier();
  let shaken = sums[2u * RV + q][i];
  var trace = 0.0;
  var linear = 0.0;
  var flat = false;
  var size = 0.0;
  var loose = 0.0;
  if (mine) {
    for (var h = 0u; h < n; h++) {
      let z = Z[h * RV + q][i];
      let g = G[h * RV + q][i];
      // Errors of scores shake the gradient along unit h by no more than this (Cauchy and Schwarz).
      let shaking = 1.02 * sqrt(square[squareAt(h, h)] * shaken);
      let wrong = 1.01 * N[h * RV + q][i] + shaking;
      trace += square[n * n + squareAt(h, h)];
      linear += g * z + params.radius * abs(g) + (params.radius + abs(z)) * wrong;
      // On a bound only what leads inside can gain: a gradient of the code's own sign.
      let held = abs(z) >= params.radius && sign(z) * g + wrong <= 0.0;
      slopes[h] = select(g * powers[h], 0.0, held);
      // Of what is held there is no slope; what shakes it was counted with the others.
      let off = powers[h] * select(1.01 * N[h * RV + q][i], shaking, held);
      size += slopes[h] * slopes[h];
      loose += off * off;
      flat = flat || (flats[h] > 0.0 && !held && abs(g) + wrong > 0.0);
    }
  }
  trace = tell(trace, mine);
  let s = 1.1 * (params.stacked + f32(n) + 12.0) * EPS * trace;
  var decrement = -1.0;
  var bending = 0.0;
  if (cholesky(s)) {
    invertFactor();
    let X = sqrt(total(2u)) * 1.001;
    let rho = 1.01 * f32(n + 4u) * EPS * X * sqrt(total(1u)) * 1.001;
    if (rho < 0.25) {
      // What the inverse may be wrong by, for a vector of length 1.
      let off = 1.4 * X * rho + f32(n + 2u) * EPS * X;
      decrement = applied() + off * (sqrt(size) + sqrt(loose)) * 1.001 + X * sqrt(loose) * 1.001;
      // A^T C A <= (1 + 2 s |X|^2) L L^T: what shakes the scores shakes the decrement as little.
      decrement += 1.02 * sqrt(shaken * (1.0 + 2.2 * s * X * X));
      bending = 1.0 - 1.01 * dropped(l, tell(EDGE / max(decrement, 1e-12), mine), off * longestPlain());
    }
  }
  if (mine && first + l < params.end) {
    let f = sums[q][i];
    let wrong = sums[RV + q][i];
    // Nothing is below a loss of 0; Frank and Wolfe; and the bound of second order, with scores that change by 2, or 4, at most.
    var gap = min(f + wrong, max(0.0, linear + 2e-5 * abs(linear)));
    if (decrement >= 0.0 && !flat) {
      let square = decrement * decrement;
      if (1.135 * bending >= 2.01 * EDGE) { gap = min(gap, square / (1.1352 * bending)); }
      else if (1.509 * bending >= 2.01 * EDGE) { gap = min(gap, square / (0.7544 * bending)); }
    }
    losses[first + l] = f;
    gaps[first + l] = gap * 1.0001 + 1e-9;
  }
}
var<workgroup> slopes: array<f32, ${4 * W4}>;
var<workgroup> flats: array<f32, ${4 * W4}>;

/** A^T diag(c) A of a lane, in tiles of four by four; 32 entries at a time, so that rounding grows little with their number. */
fn hessian(l: u32) {
  let back = params.width * params.K4;
  for (var tile = t; tile < params.F4 * params.F4; tile += T) {
    let ti = tile / params.F4;
    let tj = tile % params.F4;
    if (tj > ti) { continue; }
    var a0 = vec4f(0.0);
    var a1 = vec4f(0.0);
    var a2 = vec4f(0.0);
    var a3 = vec4f(0.0);
    for (var block = 0u; block < params.K4; block += 8u) {
      var b0 = vec4f(0.0);
      var b1 = vec4f(0.0);
      var b2 = vec4f(0.0);
      var b3 = vec4f(0.0);
      for (var k4 = block; k4 < min(params.K4, block + 8u); k4++) {
        let c = residual(l, k4);
        for (var u = 0u; u < 4u; u++) {
          let row = back + (4u * k4 + u) * params.W4;
          let x = c[u] * held[row + ti];
          let y = held[row + tj];
          b0 = fma(vec4f(x.x), y, b0);
          b1 = fma(vec4f(x.y), y, b1);
          b2 = fma(vec4f(x.z), y, b2);
          b3 = fma(vec4f(x.w), y, b3);
        }
      }
      a0 += b0;
      a1 += b1;
      a2 += b2;
      a3 += b3;
    }
    for (var u = 0u; u < 4u; u++) {
      let row = select(select(a0, a1, u == 1u), select(a2, a3, u == 3u), u > 1u);
      for (var v = 0u; v < 4u; v++) {
        let i = 4u * ti + u;
        let j = 4u * tj + v;
        if (i < params.free && j < params.free) {
          square[squareAt(i, j)] = row[v];
          square[squareAt(j, i)] = row[v];
        }
      }
    }
  }
  storageBarrier();
  workgroupBarrier();
  for (var h = t; h < params.free; h += T) { flats[h] = select(0.0, 1.0, square[squareAt(h, h)] == 0.0); }
}

/** The largest of all threads' numbers, or their sum. */
fn gather(value: f32, largest: bool) -> f32 {
  workgroupBarrier();
  stage2[t] = value;
  workgroupBarrier();
  if (t == 0u) {
    var all = 0.0;
    for (var i = 0u; i < T; i++) { all = select(all + stage2[i], max(all, stage2[i]), largest); }
    shared1 = all;
  }
  return workgroupUniformLoad(&shared1);
}
var<workgroup> stage2: array<f32, T>;

/** The sum of squares of the factor (1) or of its inverse (2). */
fn total(which: u32) -> f32 {
  let n = params.free;
  let at = base + (which + 1u) * n * n;
  var sum = 0.0;
  for (var e = t; e < n * n; e += T) {
    if (e % n <= e / n) { sum += square[at + e] * square[at + e]; }
  }
  return gather(sum, false);
}

/** |X g|. */
fn applied() -> f32 {
  let n = params.free;
  let at = base + 3u * n * n;
  var sum = 0.0;
  for (var i = t; i < n; i += T) {
    var y = 0.0;
    for (var j = 0u; j <= i; j++) { y = fma(square[at + i * n + j], slopes[j], y); }
    sum += y * y;
  }
  return sqrt(gather(sum, false)) * 1.001;
}

/**
 * The share of the Hessian that entries with |X a_k| beyond the edge have at most: the sum of c_k |X a_k|^2. \`off\` is what
 * these lengths may be wrong by.
 */
fn dropped(l: u32, edge: f32, off: f32) -> f32 {
  let n = params.free;
  let at = base + 3u * n * n;
  var share = 0.0;
  for (var k4 = t; k4 < params.K4; k4 += T) {
    var sum = vec4f(0.0);
    for (var i = 0u; i < n; i++) {
      var y = vec4f(0.0);
      for (var j = 0u; j <= i; j++) {
        y = fma(vec4f(square[at + i * n + j] * powers[j]), held[j * params.K4 + k4], y);
      }
      sum = fma(y, y, sum);
    }
    let size = sqrt(sum) * 1.001 + off;
    // Curvatures may be a little larger than what was put down as certain.
    share += dot(select(vec4f(0.0), 1.05 * size * size, size > vec4f(edge)), residual(l, k4));
  }
  return gather(share, false);
}

/** The largest |a_k| in the scaled coordinates. */
fn longestPlain() -> f32 {
  var most = 0.0;
  for (var k4 = t; k4 < params.K4; k4 += T) {
    var sum = vec4f(0.0);
    for (var h = 0u; h < params.free; h++) {
      let a = powers[h] * held[h * params.K4 + k4];
      sum = fma(a, a, sum);
    }
    most = max(most, max(max(sum.x, sum.y), max(sum.z, sum.w)));
  }
  return sqrt(gather(most, true)) * 1.001;
}

/** Factors the scaled square, less s, into the place after it; whether that came to its end. */
fn cholesky(s: f32) -> bool {
  let n = params.free;
  let scaled = base + n * n;
  let to = base + 2u * n * n;
  for (var e = t; e < n * n; e += T) { square[to + e] = square[scaled + e] - select(0.0, s, e / n == e % n); }
  storageBarrier();
  workgroupBarrier();
  for (var k = 0u; k < n; k++) {
    let pivot = tell(square[to + k * n + k], t == 0u);
    if (!(pivot > 1e-7)) { return false; }
    let root = inverseSqrt(pivot);
    for (var i = k + t; i < n; i += T) {
      column[i] = square[to + i * n + k] * root;
      square[to + i * n + k] = column[i];
    }
    workgroupBarrier();
    let left = n - k - 1u;
    for (var e = t; e < left * left; e += T) {
      let i = k + 1u + e / left;
      let j = k + 1u + e % left;
      if (j <= i) { square[to + i * n + j] -= column[i] * column[j]; }
    }
    storageBarrier();
    workgroupBarrier();
  }
  return true;
}

/** X = the inverse of the factor, column by column. */
fn invertFactor() {
  let n = params.free;
  let lower = base + 2u * n * n;
  let to = base + 3u * n * n;
  for (var j = t; j < n; j += T) {
    for (var i = j; i < n; i++) {
      var sum = select(0.0, 1.0, i == j);
      for (var k = j; k < i; k++) { sum -= square[lower + i * n + k] * square[to + k * n + j]; }
      square[to + i * n + j] = sum / square[lower + i * n + i];
    }
  }
  storageBarrier();
  workgroupBarrier();
}
`;
}

export const certifyFields = {
  ...panelFields,
  ...{ radius: 'f32', perSquare: 'u32', summed: 'f32', stacked: 'f32', added: 'f32' },
} as const satisfies Fields;

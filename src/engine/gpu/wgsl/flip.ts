import type { PanelSpec } from '../panel.ts';
import type { Fields } from '../params.ts';
import { backFunction } from './back.ts';
import { collectLanes, each, LANES } from './lanes.ts';
import { ENTRY, panelFields, panelLibrary, settled } from './panel.ts';
import { SQUAD } from './squad.ts';

/**
 * Flips of single bits of a panel's codes, and of pairs, until none lowers the loss (`Engine.flip`). A flip
 * of bit h changes scores by d = -2 e_h w_h and gains at most 2 e_h g_h less what the loss must bend by on
 * the way, sum_k c_k (exp(-|d_k|) + |d_k| - 1), as in the WebAssembly kernels. Each lane's squad tries bits
 * in the order of that bound; one pass over the entries judges a trial of every lane. Lanes that have made
 * their flip wait until the others have made theirs, since bounds cost more than many trials; then all take
 * new bounds. Pairs are tried, where they are asked for, when no single flip helps.
 *
 * In a contest the codes are candidates, or parameters of some: their signs are flipped, and those that end
 * with a lower loss than the code kept elsewhere take its place there.
 */
export function flipProgram(spec: PanelSpec): string {
  const { R, W4 } = spec;
  const smooth = spec.loss === 'cross-entropy';
  return /* wgsl */ `${panelLibrary({ ...spec, losses: false })}${LANES}${SQUAD}
const UNITS = ${4 * W4}u;
var<workgroup> gains: array<f32, ${4 * W4 * R}>;
var<workgroup> slopes: array<f32, ${4 * W4 * R}>;
// Two bits of each lane, each with what its flip adds of a column to the scores: under trial, and decided on.
var<workgroup> tried: array<vec4f, R>;
var<workgroup> taken: array<vec4f, R>;

var<private> live: bool;
var<private> f: f32;

${ENTRY(`
  enterSquad();
  live = counted();
  loadCodes();
  if (params.contest == 1u) { decide(); }
  scores();
  // Residuals are where losses are gathered: they are taken again.
  collectLosses();
  f = ofLane(sums[lane >> 2u]);
  for (var flips = 0u; flips < params.most; flips++) {
    bounds();
    search();
    if (!anyLane(member == 0u && taken[lane].y != 0.0)) { break; }
    flipTaken();
  }
  storeCodes();
  if (params.contest == 1u) { keepBetter(); }
  else if (params.told == 1u && counted() && member == 0u) { losses[first + lane] = f; }
`)}

/** Whether the lane has a row of its own. */
fn counted() -> bool {
  return onDuty && first + lane < params.end;
}

/** What a gain must exceed: less may be the rounding of two sums, and would let the search go in circles. */
fn enough() -> f32 {
  return 2e-6 * (1.0 + abs(f));
}

/**
 * The most that each flip could gain. For s = |d|, exp(-s) + s - 1 is at least s^2/2 - s^3/6, and at least s
 * - 1.
 */
fn bounds() {
  workgroupBarrier();
  for (var k4 = t; k4 < params.K4; k4 += T) {
    ${each(
      spec,
      'putResidual(l, k4, weightsAt(l, k4) * slopeLess(scratch[Ms + l * params.K4 + k4], entriesAt(l, k4)));',
    )}
  }
  ${settled(spec)}
  back();
  if (onDuty) {
    for (var h = member; h < params.free; h += 16u) {
      let at = h * RV + (lane >> 2u);
      let slope = 2.0 * ofLane(Z[at]) * ofLane(G[at]);
      gains[lane * UNITS + h] = slope;
      slopes[lane * UNITS + h] = slope;
    }
  }
  ${
    smooth
      ? `for (var k4 = t; k4 < params.K4; k4 += T) {
    ${each(spec, 'putResidual(l, k4, weightsAt(l, k4) * bend(scratch[Ms + l * params.K4 + k4]));')}
  }
  ${settled(spec)}
  bends();
  if (onDuty) {
    for (var h = member; h < params.free; h += 16u) { gains[lane * UNITS + h] -= ofLane(G[h * RV + (lane >> 2u)]); }
  }`
      : ''
  }
}
${
  smooth
    ? `fn bent(w: vec4f) -> vec4f {
  let size = abs(w);
  return max(w * w * (2.0 - (4.0 / 3.0) * size), 2.0 * size - 1.0);
}
${backFunction(spec, 'bends', 'G', 'bent')}`
    : ''
}

/** The first flip of each lane that helps goes to \`taken\`. A lane that finds none is done. */
fn search() {
  if (onDuty && member == 0u) { taken[lane] = vec4f(0.0); }
  var waiting = live;
  var pairing = false;
  var next = 0u;
  while (anyLane(waiting && member == 0u)) {
    var offer = vec4f(FAR, 0.0, 0.0, 0.0);
    if (waiting && !pairing) {
      for (var h = member; h < params.free; h += 16u) {
        let gain = gains[lane * UNITS + h];
        if (gain > enough() && -gain < offer.x) { offer = vec4f(-gain, f32(h), 0.0, 0.0); }
      }
    }
    if (waiting && pairing) { offer = nextPair(next); }
    let chosen = agree(offer);
    let trying = waiting && chosen.x < FAR;
    let h = u32(chosen.y);
    if (onDuty && member == 0u) {
      tried[lane] = vec4f(0.0);
      if (trying) { tried[lane] = vec4f(chosen.y, -2.0 * ofLane(Z[h * RV + (lane >> 2u)]), 0.0, 0.0); }
      if (trying && pairing) {
        let k = u32(chosen.z);
        tried[lane] = vec4f(tried[lane].xy, chosen.z, -2.0 * ofLane(Z[k * RV + (lane >> 2u)]));
      }
    }
    tryFlips();
    if (trying) {
      let after = ofLane(sums[lane >> 2u]);
      if (after < f - enough()) {
        f = after;
        waiting = false;
        if (member == 0u) { taken[lane] = tried[lane]; }
      } else if (member == (h & 15u) && !pairing) { gains[lane * UNITS + h] = -FAR; }
      next = u32(max(0.0, chosen.x)) + 1u;
    } else if (waiting) {
      // Nothing is left to try: pairs are next, or the lane is done.
      waiting = params.pairs == 1u && !pairing;
      live = waiting;
      pairing = true;
      next = 0u;
    }
  }
}

/**
 * The next pair, from number \`from0\` on in the order (1, 0), (2, 0), (2, 1), ..., of which something is to
 * be hoped.
 */
fn nextPair(from0: u32) -> vec4f {
  for (var p = from0 + member; p < params.free * (params.free - 1u) / 2u; p += 16u) {
    var h = u32(0.5 + sqrt(0.25 + 2.0 * f32(p)));
    while (h * (h - 1u) / 2u > p) { h--; }
    while (h * (h + 1u) / 2u <= p) { h++; }
    let k = p - h * (h - 1u) / 2u;
    // The loss is convex: two flips gain no more than both slopes promise.
    if (slopes[lane * UNITS + h] + slopes[lane * UNITS + k] > enough()) { return vec4f(f32(p), f32(h), f32(k), 0.0); }
  }
  return vec4f(FAR, 0.0, 0.0, 0.0);
}

/** Losses with the flips under trial, a lane a component of sums[0] and after. */
fn tryFlips() {
  workgroupBarrier();
  var f = array<f32, R>();
  for (var k4 = t; k4 < params.K4; k4 += T) {
    let inside = vec4f(4u * k4 + vec4u(0u, 1u, 2u, 3u) < vec4u(params.K));
    ${each(spec, 'f[l] += dot(inside, weightsAt(l, k4) * well(flipped(tried[l], l, k4), entriesAt(l, k4)));')}
  }
  ${collectLanes(spec, ['f'])}
}

/** Scores of a lane with two flips. */
fn flipped(two: vec4f, l: u32, k4: u32) -> vec4f {
  let m = fma(vec4f(two.y), held[u32(two.x) * params.K4 + k4], scratch[Ms + l * params.K4 + k4]);
  return fma(vec4f(two.w), held[u32(two.z) * params.K4 + k4], m);
}

fn flipTaken() {
  for (var k4 = t; k4 < params.K4; k4 += T) {
    ${each(spec, 'scratch[Ms + l * params.K4 + k4] = flipped(taken[l], l, k4);')}
  }
  for (var e = t; e < params.free * RV; e += T) {
    var z = Z[e];
    for (var i = 0u; i < 4u; i++) {
      let two = taken[4u * (e % RV) + i];
      let h = f32(e / RV);
      if ((two.y != 0.0 && two.x == h) || (two.w != 0.0 && two.z == h)) { z[i] = -z[i]; }
    }
    Z[e] = z;
  }
  workgroupBarrier();
}
${CONTEST}
`;
}

const CONTEST = /* wgsl */ `
/** Z = the signs of what was loaded. */
fn decide() {
  for (var e = t; e < params.free * RV; e += T) {
    let z = select(vec4f(1.0), vec4f(-1.0), Z[e] < vec4f(0.0));
    Z[e] = z;
    D[e] = z;
  }
  workgroupBarrier();
}

/** Codes with a lower loss than what is kept take its place. */
fn keepBetter() {
  workgroupBarrier();
  if (onDuty && member == 0u) {
    let better = counted() && f < losses[first + lane];
    factors[lane] = select(0.0, 1.0, better);
    if (better) { losses[first + lane] = f; }
  }
  workgroupBarrier();
  for (var i = t; i < R * params.free; i += T) {
    let l = i / params.free;
    let h = i % params.free;
    if (factors[l] > 0.0) { kept[(params.keptAt + first + l) * params.width + h] = Z[h * RV + (l >> 2u)][l & 3u]; }
  }
}
`;

export const flipFields = {
  ...panelFields,
  most: 'u32',
  keptAt: 'u32',
  pairs: 'u32',
  contest: 'u32',
  told: 'u32',
} as const satisfies Fields;

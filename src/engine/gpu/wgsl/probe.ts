import type { PanelSpec } from '../panel.ts';
import type { Fields } from '../params.ts';
import { collectLanes, each, LANES } from './lanes.ts';
import { ENTRY, panelFields, panelLibrary, settled } from './panel.ts';
import { SQUAD } from './squad.ts';

/**
 * Better bits for a panel by way of quadratic models (`Probing`): the loss of each row is expanded around a
 * centre c,
 *
 *     q(e) = g . (e - c) + (1/2) (e - c)^T Q (e - c),
 *
 * a tabu search of the lane's squad proposes a code for each stretch of flips, and the loss itself chooses
 * among them. The curvature is taken at scores that are shrunk, as in the WebAssembly kernels. Codes that
 * come in as parameters are expanded around their means, codes of bits around themselves.
 */
export function probeProgram(spec: PanelSpec): string {
  const { R, W4 } = spec;
  const units = `array<f32, ${4 * W4 * R}>`;
  return /* wgsl */ `${panelLibrary({ ...spec, losses: false })}${LANES}${SQUAD}
const UNITS = ${4 * W4}u;
// Of each lane: bits, the gradient of q there, the step from which on a bit may flip again, and the best bits
// of a stretch.
var<workgroup> bits: ${units};
var<workgroup> slopes: ${units};
var<workgroup> until: ${units};
var<workgroup> best: ${units};
var<private> base: u32;
// What a squad knows of its search.
var<private> q: f32;
var<private> leastQ: f32;
var<private> step: u32;
var<private> random: u32;

${ENTRY(`
  enterSquad();
  base = (group.y * groups.x + group.x) * R * params.free * params.free;
  loadCodes();
  expand();
  hessians();
  begin();
  var least = FAR;
  for (var k = 0u; k <= params.stretches; k++) {
    // The code that the search sets out from is a proposal, too.
    if (k > 0u) { stretch(); }
    propose();
    let now = ofLane(sums[lane >> 2u]);
    let better = now < least;
    if (better) { least = now; }
    if (onDuty && member == 0u) { factors[lane] = select(0.0, 1.0, better); }
    workgroupBarrier();
    for (var e = t; e < params.free * RV; e += T) { Z[e] = select(Z[e], D[e], lanesOf(&factors, e % RV) > vec4f(0.0)); }
    workgroupBarrier();
  }
  storeCodes();
`)}

/** Scores at which curvatures are taken are shrunk by this: about their mean over the codes around. */
const SHRINK = 0.7;

/**
 * D = the centre, Z = the bits to set out from, G = the gradient at the centre, residuals = the curvatures of
 * the model.
 */
fn expand() {
  for (var e = t; e < params.free * RV; e += T) {
    let a = Z[e];
    let shrunk = exp(-2.0 * abs(a));
    if (params.parameters == 1u) { D[e] = sign(a) * (1.0 - shrunk) / (1.0 + shrunk); }
    Z[e] = select(vec4f(1.0), vec4f(-1.0), a < vec4f(0.0));
  }
  workgroupBarrier();
  scores();
  back();
  for (var k4 = t; k4 < params.K4; k4 += T) {
    ${each(spec, 'putResidual(l, k4, SHRINK * weightsAt(l, k4) * bend(SHRINK * scratch[Ms + l * params.K4 + k4]));')}
  }
  ${settled(spec)}
}

fn squareAt(l: u32, i: u32, j: u32) -> u32 {
  return base + (l * params.free + i) * params.free + j;
}

/**
 * Q = A^T diag(c) A of all lanes, in tiles of four by four: those on and below the diagonal, written both
 * ways.
 */
fn hessians() {
  let back = params.width * params.K4;
  let tiles = params.F4 * (params.F4 + 1u) / 2u;
  for (var task = t; task < R * tiles; task += T) {
    let l = task / tiles;
    let tile = task % tiles;
    var ti = u32(max(0.0, sqrt(0.25 + 2.0 * f32(tile)) - 0.5));
    while (ti * (ti + 1u) / 2u > tile) { ti--; }
    while ((ti + 1u) * (ti + 2u) / 2u <= tile) { ti++; }
    let tj = tile - ti * (ti + 1u) / 2u;
    var a0 = vec4f(0.0);
    var a1 = vec4f(0.0);
    var a2 = vec4f(0.0);
    var a3 = vec4f(0.0);
    for (var k4 = 0u; k4 < params.K4; k4++) {
      let c = residual(l, k4);
      for (var u = 0u; u < 4u; u++) {
        let row = back + (4u * k4 + u) * params.W4;
        let x = c[u] * held[row + ti];
        let y = held[row + tj];
        a0 = fma(vec4f(x.x), y, a0);
        a1 = fma(vec4f(x.y), y, a1);
        a2 = fma(vec4f(x.z), y, a2);
        a3 = fma(vec4f(x.w), y, a3);
      }
    }
    for (var u = 0u; u < 4u; u++) {
      let row = select(select(a0, a1, u == 1u), select(a2, a3, u == 3u), u > 1u);
      for (var v = 0u; v < 4u; v++) {
        let i = 4u * ti + u;
        let j = 4u * tj + v;
        // A tile on the diagonal has both halves: each entry is written once.
        if (i < params.free && j <= i) {
          square[squareAt(l, i, j)] = row[v];
          square[squareAt(l, j, i)] = row[v];
        }
      }
    }
  }
  storageBarrier();
  workgroupBarrier();
}

/** The gradient of q at the bits, and q there: the mean of both gradients times the way from the centre. */
fn begin() {
  let four = lane >> 2u;
  if (onDuty) {
    for (var h = member; h < params.free; h += 16u) {
      let i = lane * UNITS + h;
      bits[i] = ofLane(Z[h * RV + four]);
      best[i] = bits[i] - ofLane(D[h * RV + four]);
      until[i] = 0.0;
    }
  }
  workgroupBarrier();
  var part = 0.0;
  if (onDuty) {
    for (var h = member; h < params.free; h += 16u) {
      let g = ofLane(G[h * RV + four]);
      var r = g;
      for (var k = 0u; k < params.free; k++) { r = fma(square[squareAt(lane, h, k)], best[lane * UNITS + k], r); }
      slopes[lane * UNITS + h] = r;
      part = fma(0.5 * (g + r), best[lane * UNITS + h], part);
    }
  }
  q = addUp(part);
  leastQ = q;
  step = 0u;
  random = 1u;
  if (onDuty) {
    for (var h = member; h < params.free; h += 16u) { best[lane * UNITS + h] = bits[lane * UNITS + h]; }
  }
  workgroupBarrier();
}

/**
 * So many flips, always the best one that is not tabu, uphill too; a bit that was flipped rests for a while,
 * unless it leads below everything met so far. \`best\` is then the best code met among them.
 */
fn stretch() {
  let free = params.free;
  let begun = step;
  var bestQ = FAR;
  for (var k = 0u; k < params.flips; k++) {
    let now = begun + k;
    var offer = vec4f(FAR, 0.0, 0.0, 0.0);
    if (onDuty) {
      for (var h = member; h < free; h += 16u) {
        let i = lane * UNITS + h;
        let change = 2.0 * (square[squareAt(lane, h, h)] - bits[i] * slopes[i]);
        let open = until[i] <= f32(now) || q + change < leastQ - 1e-4;
        if (open && change < offer.x) { offer = vec4f(change, f32(h), bits[i], 0.0); }
      }
    }
    let chosen = agree(offer);
    if (onDuty && chosen.x < FAR) {
      flipTabu(u32(chosen.y), chosen.z, now);
      q += chosen.x;
      leastQ = min(leastQ, q);
      if (q < bestQ) {
        bestQ = q;
        for (var h = member; h < free; h += 16u) { best[lane * UNITS + h] = bits[lane * UNITS + h]; }
      }
    }
  }
  step = begun + params.flips;
  workgroupBarrier();
}

/** Flips a bit of the lane at step \`now\`, and lets it rest. */
fn flipTabu(bit: u32, before: f32, now: u32) {
  for (var h = member; h < params.free; h += 16u) {
    slopes[lane * UNITS + h] -= 2.0 * before * square[squareAt(lane, bit, h)];
  }
  random = random * 1664525u + 1013904223u;
  if (member == (bit & 15u)) {
    let rest = min((params.free >> 3u) + (random >> 30u), params.free >> 1u);
    bits[lane * UNITS + bit] = -before;
    until[lane * UNITS + bit] = f32(now + 1u + rest);
  }
}

/** D = the best code of the stretch, sums[0] and after = its losses. */
fn propose() {
  for (var e = t; e < params.free * RV; e += T) {
    let at = 4u * (e % RV) * UNITS + e / RV;
    D[e] = vec4f(best[at], best[at + UNITS], best[at + 2u * UNITS], best[at + 3u * UNITS]);
  }
  workgroupBarrier();
  var f = array<f32, R>();
  for (var k4 = t; k4 < params.K4; k4 += T) {
    let inside = vec4f(4u * k4 + vec4u(0u, 1u, 2u, 3u) < vec4u(params.K));
    let m = products(k4);
    ${each(spec, 'f[l] += dot(inside, weightsAt(l, k4) * well(m[l], entriesAt(l, k4)));')}
  }
  ${collectLanes(spec, ['f'])}
}
`;
}

export const probeFields = {
  ...panelFields,
  parameters: 'u32',
  stretches: 'u32',
  flips: 'u32',
} as const satisfies Fields;

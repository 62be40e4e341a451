import type { PanelSpec } from '../panel.ts';
import type { Fields } from '../params.ts';
import { backFunction, EXACT_STAGE } from './back.ts';
import { EXACT_SHARE } from './exact.ts';
import { collectLanes, each } from './lanes.ts';
import { ENTRY, panelFields, panelLibrary, settled } from './panel.ts';

/**
 * What a proof of a panel's items is made of, for cross-entropy: losses, gradients, curvatures, and what
 * rounding may have done to each of them (`wgsl/proof.ts` puts them together).
 *
 * WGSL rounds +, - and * to a neighbour (by EPS = 2^-23 at most, whichever way), exp by (3 + 2 |x|) EPS and
 * division by 2.5. Every sum below carries along a bound on what it may be wrong by. Long sums are taken in
 * two stages, so that the longest path through one is short (`additionsOf`). Of true bits, residuals are
 * right to a share of themselves; real entries are subtracted from Psi', and what that loses is a share of 1.
 *
 * An entry whose score is loose (a long code, for one, on side 'weights') has no curvature that is certain:
 * it is left out of the Hessian, which only ever lowers the bound, and its residual may be wrong by all that
 * |Psi'| <= 1 and Psi''(m) <= 2 e^-|m| <= 1/2 allow.
 */
export function certifyProgram(spec: PanelSpec): string {
  const { R, W4, entries } = spec;
  const real = entries === 'real';
  const RV = R / 4;
  return /* wgsl */ `${panelLibrary({ ...spec, losses: false, exact: true })}
const EPS = 1.1920929e-7;
// Changes of a score beyond which nothing is known of its curvature.
const LOOSE = 0.01;
// Its square is a float32 number still.
const ENDLESS = 1e15;
const STAGE = ${STAGE}u;
var<workgroup> N: array<vec4f, ${4 * W4 * RV}>;

/** The most that Psi'' is anywhere within \`off\` of a score. */
fn steepest(m: vec4f, off: vec4f) -> vec4f {
  return min(vec4f(0.5), 2.01 * exp(min(vec4f(0.0), off - abs(m))));
}

/** What residuals are wrong by, as a share of themselves. */
fn residualShare(m: vec4f) -> vec4f {
  return (16.0 + 2.0 * abs(m)) * EPS;
}

/** Whether that is the same as a small change of the score: not where a bit is certain, and wrong. */
fn tame(slope: vec4f, off: vec4f, most: f32) -> vec4<bool> {
  return ${real ? 'vec4<bool>(false)' : '(slope <= vec4f(most)) & (off <= vec4f(LOOSE))'};
}

${backFunction(spec, 'magnitudes', 'N', 'abs')}

${ENTRY(`
  loadCodes();
  scores();
  back();
  looseEnds();
  ${settled(spec)}
  magnitudes();
  lossesAndErrors();
  curvatures();
  tell();
`)}

/**
 * Md = what scores may be wrong by; residuals become what they and their sums may be wrong by at the scores
 * as they are.
 */
fn looseEnds() {
  let share = (${EXACT_SHARE}) * EPS;
  for (var k4 = t; k4 < params.K4; k4 += T) {
    let size = sizes(k4);
    let lost = vanished(k4);
    ${each(
      spec,
      `let m = scratch[Ms + l * params.K4 + k4];
      let off = min(1.01 * (share * size[l] + lost[l]) + 1e-30, vec4f(ENDLESS));
      scratch[Mds + l * params.K4 + k4] = off;
      let weight = weightsAt(l, k4);
      let slope = abs(slopeLess(m, entriesAt(l, k4)));
      let part = select(residualShare(m), vec4f(0.0), tame(slope, off, 1.9)) + params.summed * EPS;
      let wrong = weight * (slope * part${real ? ' + 16.0 * EPS' : ''});
      let loose = select(vec4f(0.0), weight * min(vec4f(2.0), steepest(m, off) * off), off > vec4f(LOOSE));
      putResidual(l, k4, 1.01 * (wrong + loose) + 1e-32);`,
    )}
  }
}

/**
 * sums[0..] = losses, sums[RV..] = what they may be wrong by, sums[2 RV..] = the scores' errors in the metric
 * of their curvatures.
 */
fn lossesAndErrors() {
  workgroupBarrier();
  var f = array<f32, R>();
  var wrong = array<f32, R>();
  var shaken = array<f32, R>();
  for (var begin = t; begin < params.K4; begin += STAGE * T) {
    var part = array<f32, R>();
    for (var k4 = begin; k4 < min(params.K4, begin + STAGE * T); k4 += T) {
      let inside = vec4f(4u * k4 + vec4u(0u, 1u, 2u, 3u) < vec4u(params.K));
      ${each(
        spec,
        `let m = scratch[Ms + l * params.K4 + k4];
      let x = entriesAt(l, k4);
      let off = scratch[Mds + l * params.K4 + k4];
      let weight = inside * weightsAt(l, k4);
      let one = well(m, x);
      part[l] += dot(weight, one);
      let slope = abs(slopeLess(m, x));
      let rounding = (one * (params.added + 24.0 + 2.0 * abs(m))${real ? ' + 4.0 * abs(m)' : ''}) * EPS + (1.0001 * slope + steepest(m, off) * off) * off;
      wrong[l] += 1.01 * dot(weight, rounding + 1e-30);
      // A residual p bends by p (1 - p): it is wrong by a share of itself as if the score were by 1 / (1 - p)
      // of it.
      let like = select(vec4f(0.0), 2.01 * residualShare(m) / (2.0 - slope), tame(slope, off, 1.91));
      let moved = select(off, vec4f(0.0), off > vec4f(LOOSE)) + like;
      shaken[l] += 1.05 * dot(weight * bend(m) * moved, moved);`,
      )}
    }
    for (var l = 0u; l < R; l++) { f[l] += part[l]; }
  }
  ${collectLanes(spec, ['f', 'wrong', 'shaken'])}
}

/** Curvatures, no larger than the true ones, where changes of scores have their place. */
fn curvatures() {
  for (var k4 = t; k4 < params.K4; k4 += T) {
    ${each(
      spec,
      `let m = scratch[Ms + l * params.K4 + k4];
      let at = Mds + l * params.K4 + k4;
      let off = scratch[at];
      let sure = 1.0 - 1.01 * off - (28.0 + 4.0 * abs(m)) * EPS;
      // Padding beyond the last entry has a score of 0, and no row of A.
      scratch[at] = weightsAt(l, k4) * bend(m) * select(max(sure, vec4f(0.0)), vec4f(0.0), off > vec4f(LOOSE));`,
    )}
  }
}

/** Each row's gradient, what rounding may have done to it, and the sums. */
fn tell() {
  let n = params.free;
  for (var e = t; e < R * n; e += T) {
    let l = e / n;
    let h = e % n;
    if (first + l >= params.end) { continue; }
    let at = (first + l - params.start) * (2u * n + 2u) + h;
    facts[at] = G[h * RV + (l >> 2u)][l & 3u];
    facts[at + n] = 1.01 * N[h * RV + (l >> 2u)][l & 3u];
  }
  if (t < R && first + t < params.end) {
    let at = (first + t - params.start) * (2u * n + 2u) + 2u * n;
    let loss = sums[t >> 2u][t & 3u];
    let wrong = sums[RV + (t >> 2u)][t & 3u];
    losses[first + t] = loss;
    losses[params.wrongAt + first + t] = wrong;
    settled[first + t - params.start] = select(0.0, 1.0, loss + wrong <= params.enough);
    facts[at] = wrong;
    facts[at + 1u] = sums[2u * RV + (t >> 2u)][t & 3u];
  }
}
`;
}

/** Additions on the longest path through A^T r (`summed`) and through a loss (`added`). */
export function additionsOf(
  { T }: Pick<PanelSpec, 'T'>,
  { K4, F4 }: { readonly K4: number; readonly F4: number },
): { readonly summed: number; readonly added: number } {
  const slices = Math.floor(T / Math.min(T, F4));
  const path = (turns: number, stage: number, each: number) =>
    each * Math.min(turns, stage) + Math.ceil(turns / stage);
  return {
    summed: 4 + path(Math.ceil(K4 / slices), EXACT_STAGE, 1) + 2 + Math.floor(slices / 4) + (slices % 4) + 4,
    added: path(Math.ceil(K4 / T), STAGE, 5) + Math.ceil(T / 16) + 16,
  };
}

/** Turns of a loop whose sum is added to the whole. */
const STAGE = 8;

export const certifyFields = {
  ...panelFields,
  summed: 'f32',
  added: 'f32',
  wrongAt: 'u32',
  enough: 'f32',
} as const satisfies Fields;

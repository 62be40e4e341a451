import type { PanelSpec } from '../panel.ts';
import { BENT, LEAVING, NEAREST } from './box.ts';
import { collectLanes, each } from './lanes.ts';
import type { SolveSpec } from './solve.ts';

/**
 * The line search of the program for steps (`solve.ts`): each lane's step length along its direction D. It
 * begins with Newton's length; where that overshoots, a bracket and secants follow, as in the WebAssembly
 * kernels.
 */
export function lineSearch(spec: PanelSpec & SolveSpec): string {
  const { boxed, own, newton = false } = spec;
  const projected = boxed && !own;
  const held = boxed && own;
  return /* wgsl */ `/**
 * Md = A D, slope and curvature at length 0, and Newton's step length of each lane. Directions may have to be
 * mended first:
 * one that does not descend is replaced by plain -P${projected ? ', one that leaves the box by its projection' : ''}.${held ? ' No\n * step goes beyond the first bound: a projection may not descend where units depend on one another.' : ''}
 */
fn startSearch() {
  ${projected ? 'var leaving = false;\n  var bent = false;' : ''}
  for (var attempt = 0u; ; attempt++) {
    dots(true);
    if (t < R) {
      slope = sums[t >> 2u][t & 3u];
      ridgeSlope = params.ridge * sums[RV + (t >> 2u)][t & 3u];
      ridgeBend = params.ridge * sums[2u * RV + (t >> 2u)][t & 3u];
    }
    let lost = t < R && attempt == 0u && !(slope < 0.0) && fresh == 0u && live;
    if (anyLane(lost)) {
      if (lost) { fresh = 1u; }
      if (t < R) { factors[t] = select(0.0, 1.0, lost); }
      workgroupBarrier();
      for (var e = t; e < params.free * RV; e += T) {
        D[e] = select(D[e], ${held ? 'inward(Z[e], -P[e])' : '-P[e]'}, lanesOf(&factors, e % RV) > vec4f(0.0));
      }
      workgroupBarrier();
      continue;
    }
    ${projected ? BENT : ''}
    ${held ? NEAREST : ''}
    changes();
    if (t < R) {
      let bends = sums[t >> 2u][t & 3u] + ridgeBend;
      largest = sums[RV + (t >> 2u)][t & 3u];
      let reach = ${own ? 'sums[2u * RV + (t >> 2u)][t & 3u]' : 'largest'};
      var a = min(-slope / max(bends, 1e-30), FARTHEST / max(reach, 1e-30));
      if (!(slope < 0.0 && a > 0.0 && a < 1e25)) {
        a = 0.0;
        live = false;
      }
      ${held ? 'aim = a;' : ''}
      lengths[t] = ${projected ? 'select(a, min(1.0, a), leaving)' : held ? 'min(a, nearest)' : 'a'};
    }
    workgroupBarrier();
    ${projected ? LEAVING : 'break;'}
  }
}
/**
 * No trial step changes a score by more than this: beyond it, curvature at the start says nothing.${own ? " What has a margin may\n * lose that first, and what gains may gain: Newton's steps of rows that are nearly all described go far." : ''}
 */
const FARTHEST = 8.0;

/** Md = A D, the curvatures along it, and its largest entries. */
fn changes() {
  var c = array<f32, R>();
  var most = array<f32, R>();
  ${own ? 'var reach = array<f32, R>();' : ''}
  for (var k4 = t; k4 < params.K4; k4 += T) {
    let d = products(k4);
    ${each(
      spec,
      `scratch[Mds + l * params.K4 + k4] = d[l];
      let bends = weightsAt(l, k4) * bend(scratch[Ms + l * params.K4 + k4]);
      c[l] += dot(bends * d[l], d[l]);
      let size = max(abs(d[l].xy), abs(d[l].zw));
      most[l] = max(most[l], max(size.x, size.y));
      ${own ? REACH : ''}`,
    )}
  }
  ${collectLanes(spec, ['c'], own ? ['most', 'reach'] : ['most'])}
}

/**
 * Dot products over the units: G.D, Z.D and D.D (the last two of what ridge counts) along a direction, else
 * G.P and B.P.
 */
fn dots(along: bool) {
  var one = vec4f(0.0);
  var two = vec4f(0.0);
  var three = vec4f(0.0);
  for (var e = t; e < params.free * RV; e += T) {
    let other = select(P[e], D[e], along);
    one = fma(G[e], other, one);
    let ridged = select(0.0, 1.0, e / RV < params.ridged || !along);
    two = fma(ridged * select(B[e], Z[e], along), other, two);
    three = fma(ridged * other, other, three);
  }
  // T is a multiple of RV: a thread has to do with one group of four lanes.
  let each = T / RV;
  let place = (t % RV) * each + t / RV;
  room[place] = one;
  room[T + place] = two;
  room[2u * T + place] = three;
  collect(3u * RV, each, NEVER, 0u);
}

/** Step lengths at which no lane's objective is above where it started. */
fn lineSearch() {
  var low = 0.0;
  var lowSlope = slope;
  var high = -1.0;
  var highSlope = 0.0;
  for (var trial = 1u; trial <= TRIALS; trial++) {
    trialSlopes();
    var more = false;
    if (t < R && lengths[t] != 0.0) {
      let a = lengths[t];
      let now = sums[t >> 2u][t & 3u] + ridgeSlope + a * ridgeBend;
      let last = trial == TRIALS;
      var settled = false;
      // In the tails of Psi a step of Newton is short: it grows while the slope stays steep.
      let grows = ${newton} && high < 0.0 && now < 0.1 * slope && !last;
      if (now <= 0.0) {
        // Past the first correction the bracket has two ends: stop unless the slope is still steep.
        settled = !grows && (high < 0.0 || !(now < 0.5 * slope) || last);
        low = select(a, low, settled);
        lowSlope = select(now, lowSlope, settled);
      } else {
        let safe = SMOOTH && a * largest <= SAFE_CHANGE;
        settled = now <= select(0.001, 0.1, safe) * -slope;
        high = select(a, high, settled);
        highSlope = select(now, highSlope, settled);
      }
      if (!settled) {
        // The secant's point, a little short of it; the middle when the secant has failed once.
        let secant = (-0.95 * lowSlope) / (highSlope - lowSlope);
        let share = select(select(0.5, max(secant, 0.1), low > 0.0), secant, trial == 1u);
        lengths[t] = select(select(low + (high - low) * share, low, last), 2.0 * a, grows);
        more = !last;
      }
    }
    if (!anyLane(more)) { break; }
  }
}
/** Evaluations of a line search. */
const TRIALS = 8u;
/** Up to this change of a score a Newton step cannot raise cross-entropy, whose |Psi'''| <= Psi''. */
const SAFE_CHANGE = 1.7;

/** Slopes of the losses in the lengths, at those lengths. */
fn trialSlopes() {
  var s = array<f32, R>();
  for (var k4 = t; k4 < params.K4; k4 += T) {
    ${each(
      spec,
      `let d = scratch[Mds + l * params.K4 + k4];
      let m = fma(vec4f(lengths[l]), d, scratch[Ms + l * params.K4 + k4]);
      s[l] += dot(d, weightsAt(l, k4) * slopeLess(m, entriesAt(l, k4)));`,
    )}
  }
  ${collectLanes(spec, ['s'])}
}`;
}

/** How far scores come closer to being wrong, in units of what they may. */
const REACH = /* wgsl */ `let x = entriesAt(l, k4);
      let loses = max(-x * d[l], vec4f(0.0)) / (1.0 + max(x * scratch[Ms + l * params.K4 + k4], vec4f(0.0)) / FARTHEST);
      reach[l] = max(reach[l], max(max(loses.x, loses.y), max(loses.z, loses.w)));`;

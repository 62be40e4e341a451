import { LINEAR } from '../../options.ts';
import type { PanelSpec } from '../panel.ts';
import type { Fields } from '../params.ts';
import { BOX, INWARD } from './box.ts';
import { each, LANES } from './lanes.ts';
import { lineSearch } from './line-search.ts';
import { ENTRY, panelFields, panelLibrary, settled } from './panel.ts';
import { inFlight, range } from './text.ts';

/** What a program for steps depends on, beside its panel. */
export interface SolveSpec {
  readonly boxed: boolean;
  readonly losses: boolean;
  /** Whether each item has a matrix of its own. */
  readonly own: boolean;
  /** Whether codes begin where they are linear in the rows (`SolveOptions.linear`). */
  readonly linear?: boolean;
  /**
   * Whether the step is Newton's: one at most. `steps` say how far it goes: scores, the step told, the step
   * taken.
   */
  readonly newton?: boolean;
}

/**
 * Preconditioned nonlinear conjugate gradients on a panel (`Engine.solve`), with the line search of the
 * WebAssembly kernels: Newton's step length first, a bracket and secants where it overshoots. The thread of a
 * lane decides for it; all threads go along as long as one lane is at work.
 */
export function solveProgram(spec: PanelSpec & SolveSpec): string {
  const { R, W4, boxed, own, linear = false, newton = false } = spec;
  const held = boxed && own;
  const vector = `array<vec4f, ${(4 * W4 * R) / 4}>`;
  // Where A^T r is known, the gradient before and all else that belongs to the gradient are at hand.
  const put = 'B[place] = G[place];\n      G[place] = gradientOf(place, sum);';
  return /* wgsl */ `${panelLibrary({ ...spec, put })}${LANES}
var<workgroup> P: ${vector};
var<workgroup> B: ${vector};
// Whether a lane is at work; \`factors\` tell how its direction is to change.
var<workgroup> moving: array<f32, R>;

// What the thread of a lane knows of it.
var<private> live: bool;
var<private> fresh: u32;
var<private> square: f32;
var<private> slope: f32;
var<private> largest: f32;
var<private> ridgeSlope: f32;
var<private> ridgeBend: f32;
${own ? '// Whether nothing was left to gain before the matrix grew old; how far the nearest bound is, and where no bound would stop.\nvar<private> ended: bool;\nvar<private> nearest: f32;\nvar<private> aim: f32;' : ''}

${ENTRY(`
  live = t < R && first + t < params.end;
  ${own && !newton ? 'if (live) { live = settled[first + t - params.start] == 0.0; }\n  if (!anyLane(live)) { return; }' : ''}
  // The first direction is plain -P.
  fresh = 2u;
  loadCodes();
  ${linear ? 'beginLinear();' : ''}
  ${boxed ? 'clipCodes();\n  for (var e = t; e < params.free * RV; e += T) { D[e] = Z[e]; }\n  workgroupBarrier();' : ''}
  scores();
  // D is a direction from here on: what does not move has none.
  for (var e = params.free * RV + t; e < ${4 * W4}u * RV; e += T) { D[e] = vec4f(0.0); }
  ${newton ? 'if (params.steps > 0u) {\n    gradient();\n    dots(false);\n    tellStep();\n  }' : ''}
  if (params.steps > ${newton ? '1u' : '0u'}) {
    for (var step = 1u; ; step++) {
      ${newton ? '' : 'gradient();'}
      conjugate();
      startSearch();
      lineSearch();
      advance();
      ${own ? 'ended = ended || (step == 1u && t < R && stopping());' : ''}
      if (!settle() || ${newton} || step >= params.steps) { break; }
    }
    storeCodes();
    ${own && !newton ? 'if (t < R && first + t < params.end && ended) { settled[first + t - params.start] = 1.0; }' : ''}
  }${linear ? ' else {\n    storeCodes();\n  }' : ''}
  ${spec.losses ? 'writeLosses();' : ''}
`)}

${
  newton
    ? `/** The step that P is about to be taken back by, and -g . d of it: what does not move has no step. */
fn tellStep() {
  if (t < R && first + t < params.end) { losses[params.decrementsAt + first + t] = sums[t >> 2u][t & 3u]; }
  for (var e = t; e < params.width * R; e += T) {
    let h = e / R;
    let l = e % R;
    if (first + l < params.end) {
      directions[(first + l) * params.width + h] = select(0.0, -P[h * RV + (l >> 2u)][l & 3u], h < params.free);
    }
  }
  workgroupBarrier();
}`
    : ''
}

fn gradientOf(e: u32, sum: vec4f) -> vec4f {
  let g = select(sum, fma(vec4f(params.ridge), Z[e], sum), e / RV < params.ridged);
  return ${boxed ? 'select(g, vec4f(0.0), pressed(Z[e], g))' : 'g'};
}

/**
 * G = A^T r + ridge Z, without what presses against a bound; P = (inverse Hessian) G; B is the gradient
 * before.
 */
fn gradient() {
  back();
  for (var e = t; e < params.free * RV; e += T) {
    let h = e / RV;
    var p = vec4f(0.0);
    ${own ? OWN_PRODUCT : SHARED_PRODUCT}
    ${boxed ? 'p = select(p, vec4f(0.0), pressed(Z[e], G[e]));' : ''}
    P[e] = p;
  }
  workgroupBarrier();
}

/** The next direction: Polak-Ribiere in the metric of the preconditioner, never with a negative factor. */
fn conjugate() {
  dots(false);
  if (t < R) {
    let now = sums[t >> 2u][t & 3u];
    let before = sums[RV + (t >> 2u)][t & 3u];
    var beta = 0.0;
    if (fresh < 2u) { beta = (now - before) / square; }
    if (!(beta > 0.0 && beta < 1e6)) { beta = 0.0; }
    square = now;
    fresh = select(0u, 1u, beta == 0.0);
    factors[t] = beta;
    moving[t] = select(0.0, 1.0, live);
  }
  workgroupBarrier();
  for (var e = t; e < params.free * RV; e += T) {
    let q = e % RV;
    var d = select(vec4f(0.0), lanesOf(&factors, q) * D[e] - P[e], lanesOf(&moving, q) > vec4f(0.0));
    ${boxed ? 'd = select(d, vec4f(0.0), pressed(Z[e], G[e]));' : ''}
    D[e] = ${held ? 'inward(Z[e], d)' : 'd'};
  }
  workgroupBarrier();
}

${lineSearch(spec)}

/** Goes along D by the lengths, and takes residuals there. */
fn advance() {
  workgroupBarrier();
  for (var e = t; e < params.free * RV; e += T) { Z[e] = fma(lanesOf(&lengths, e % RV), D[e], Z[e]); }
  ${boxed ? 'clipCodes();' : ''}
  for (var k4 = t; k4 < params.K4; k4 += T) {
    ${each(
      spec,
      `let at = Ms + l * params.K4 + k4;
      let m = fma(vec4f(lengths[l]), scratch[Mds + l * params.K4 + k4], scratch[at]);
      scratch[at] = m;
      putResidual(l, k4, weightsAt(l, k4) * slopeLess(m, entriesAt(l, k4)));`,
    )}
  }
  ${settled(spec)}
}

/** Whether so little is left to gain along the last direction${held ? ', as if no bound were in its way' : ''}. */
fn stopping() -> bool {
  let goes = ${held ? 'select(lengths[t], aim, lengths[t] >= 0.999999 * nearest)' : 'lengths[t]'};
  return !(-0.5 * slope * goes >= params.tolerance);
}

/** Lanes whose expected decrease is below the tolerance are done; whether any is left. */
fn settle() -> bool {
  if (t < R) {
    // A direction along which nothing could be gained is tried once more as plain -P.
    if (lengths[t] == 0.0 && fresh == 0u) { fresh = 2u; }
    else if (stopping()) { live = false; }
  }
  return anyLane(live);
}
${linear ? beginning(spec) : ''}
${boxed ? BOX : ''}
${held ? INWARD : ''}
${own ? OWN : SHARED}
`;
}

/**
 * Z and D become the codes that are linear in the rows: (inverse Hessian) A^T r, with r from entries alone.
 */
function beginning(spec: PanelSpec): string {
  return /* wgsl */ `
fn beginLinear() {
  for (var k4 = t; k4 < params.K4; k4 += T) {
    let bias = select(vec4f(0.0), held[params.free * params.K4 + k4], params.width > params.free);
    var weight = vec4f(0.0);
    for (var i = 0u; i < 4u; i++) {
      if (4u * k4 + i < params.K) { weight[i] = linear[4u * k4 + i]; }
    }
    ${each(
      spec,
      `let known = ${spec.masked ? 'select(vec4f(0.0), vec4f(1.0), weightsAt(l, k4) > vec4f(0.0))' : 'vec4f(1.0)'};
      putResidual(l, k4, known * weight * (bias - ${LINEAR.toFixed(1)} * entriesAt(l, k4)));`,
    )}
  }
  ${settled(spec)}
  for (var e = t; e < params.free * RV; e += T) { Z[e] = vec4f(0.0); }
  workgroupBarrier();
  gradient();
  for (var e = t; e < params.free * RV; e += T) {
    Z[e] = -P[e];
    D[e] = Z[e];
  }
  workgroupBarrier();
}`;
}

/**
 * (inverse Hessian) G of unit h, four lanes: one matrix for all lanes. Thirty-two of its numbers are on their
 * way at a time.
 */
const SHARED_PRODUCT = /* wgsl */ `var j = 0u;
    ${inFlight(32)
      .map(
        (count) => `for (; j + ${count}u <= params.free; j += ${count}u) {
      let at = j * params.free + h;
      ${range(count)
        .map((i) => `let a${i} = inverse[at + ${i}u * params.free];`)
        .join('\n      ')}
      ${range(count)
        .map((i) => `p = fma(vec4f(a${i}), G[(j + ${i}u) * RV + e % RV], p);`)
        .join('\n      ')}
    }`,
      )
      .join('\n    ')}`;

/** The same where each row has a matrix of its own. */
const OWN_PRODUCT = /* wgsl */ `let q = e % RV;
    let begin = own(q) + h;
    for (var j = 0u; j < params.free; j++) {
      let at = begin + j * params.free;
      p = fma(vec4f(inverse[at.x], inverse[at.y], inverse[at.z], inverse[at.w]), G[j * RV + q], p);
    }`;

/** Of four lanes, the mean of the diagonal of their matrix. */
const SHARED = /* wgsl */ `
fn meanInverse(q: u32) -> vec4f {
  var sum = 0.0;
  for (var h = 0u; h < params.free; h++) { sum += inverse[h * (params.free + 1u)]; }
  return vec4f(sum / f32(params.free));
}`;

const OWN = /* wgsl */ `
/** Where the matrices of four lanes begin. */
fn own(q: u32) -> vec4u {
  let l = 4u * q;
  let items = vec4u(itemOf(l), itemOf(l + 1u), itemOf(l + 2u), itemOf(l + 3u));
  return (items - params.start) * params.free * params.free;
}
fn meanInverse(q: u32) -> vec4f {
  let begin = own(q);
  var sum = vec4f(0.0);
  for (var h = 0u; h < params.free; h++) {
    let at = begin + h * (params.free + 1u);
    sum += vec4f(inverse[at.x], inverse[at.y], inverse[at.z], inverse[at.w]);
  }
  return sum / f32(params.free);
}`;

export const solveFields = {
  ...panelFields,
  steps: 'u32',
  ridged: 'u32',
  tolerance: 'f32',
  ridge: 'f32',
  radius: 'f32',
} as const satisfies Fields;

/** Decrements are behind the losses: every adapter binds eight buffers, and weights of entries are one. */
export const newtonFields = { ...solveFields, decrementsAt: 'u32' } as const satisfies Fields;

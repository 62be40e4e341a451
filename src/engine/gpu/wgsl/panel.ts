import type { Buffers } from '../dispatcher.ts';
import type { PanelSpec } from '../panel.ts';
import type { Fields } from '../params.ts';
import { backFunction } from './back.ts';
import { exactProducts } from './exact.ts';
import { collectFunction, collectLanes, each } from './lanes.ts';
import { lossFunctions } from './loss.ts';
import { inFlight, range } from './text.ts';

/**
 * A panel: R items (rows on side 'codes', bits on side 'weights') that one workgroup of T threads works on
 * from their first step to their last. Nothing leaves the workgroup on the way, so that a visit is one
 * dispatch however many steps it takes.
 *
 * - Vectors of codes (Z, D, G, P, B) are in the workgroup's memory, R floats a unit: four lanes a vec4f.
 * - Scores M and their change Md along D are K x R in memory of the device. A thread meets the same entries
 *   in every pass,
 *   four neighbouring k of all lanes at a time, so that passes need no barrier between them.
 * - Residuals go to `room` (or, where K is too large for it, to the device's memory), from where A^T r takes
 *   them: threads
 *   take four units of a slice of the entries each, and the slices are added up in their order.
 *
 * Sums are taken in a fixed order, so that the same adapter gives the same bits.
 */
export function panelLibrary(
  spec: PanelSpec & { readonly losses: boolean; readonly exact?: boolean; readonly put?: string },
): string {
  const { R, T, W4, room, loss, entries } = spec;
  const lanes = range(R);
  const RV = R / 4;
  // Adds a number of A, times that unit's D, to the sums of all lanes.
  const unit = (sums: string, h: string, a: string) =>
    `{ ${range(RV)
      .map((q) => `let d${q} = D[${h} * RV + ${q}u];`)
      .join(' ')}
      ${lanes.map((l) => `${sums}[${l}] = fma(${a}, vec4f(d${l >> 2}.${'xyzw'[l & 3]}), ${sums}[${l}]);`).join('\n      ')} }`;
  return /* wgsl */ `
const R = ${R}u;
const RV = ${RV}u;
const T = ${T}u;
${lossFunctions(loss, entries === 'bits')}
var<workgroup> Z: array<vec4f, ${4 * W4 * RV}>;
var<workgroup> D: array<vec4f, ${4 * W4 * RV}>;
var<workgroup> G: array<vec4f, ${4 * W4 * RV}>;
var<workgroup> room: array<vec4f, ${room}>;
var<workgroup> stage: array<vec4f, 128>;
var<workgroup> sums: array<vec4f, 8>;
var<workgroup> lengths: array<f32, ${R}>;

var<private> t: u32;
var<private> first: u32;
var<private> Ms: u32;
var<private> Mds: u32;

fn enterPanel(local: u32, group: vec3u, groups: vec3u) {
  t = local;
  let panel = group.y * groups.x + group.x;
  first = params.start + panel * R;
  Ms = panel * ${spec.residuals === 'room' ? 2 : 3}u * R * params.K4;
  Mds = Ms + R * params.K4;
}

${itemFunctions(spec)}
/** Reads the moving factor; all of its numbers go to D too, from where scores are taken. */
fn loadCodes() {
  for (var e = t; e < ${4 * W4}u * RV; e += T) {
    let h = e / RV;
    let l = 4u * (e % RV);
    var z = vec4f(0.0);
    if (h < params.width) {
      z = vec4f(codeAt(l, h), codeAt(l + 1u, h), codeAt(l + 2u, h), codeAt(l + 3u, h));
    }
    Z[e] = z;
    D[e] = z;
  }
  workgroupBarrier();
}

fn codeAt(l: u32, h: u32) -> f32 {
  return codes[(params.codesAt + itemOf(l)) * params.width + h];
}

fn storeCodes() {
  workgroupBarrier();
  for (var e = t; e < params.free * RV; e += T) {
    let h = e / RV;
    for (var i = 0u; i < 4u; i++) {
      let l = 4u * (e % RV) + i;
      if (first + l < params.end) { codes[(params.codesAt + first + l) * params.width + h] = Z[e][i]; }
    }
  }
}

${
  spec.exact
    ? exactProducts(spec)
    : `/** A d at four entries, for all lanes. */
fn products(k4: u32) -> array<vec4f, R> {
  var out = array<vec4f, R>();
  // D is 0 beyond the numbers of a code: whole groups of four may be added.
  var h = 0u;
  ${(spec.unrolled ? inFlight(16).slice(0, -1) : [])
    .map(
      (flight) => `for (; h + ${flight}u <= 4u * params.W4; h += ${flight}u) {
    ${range(flight)
      .map((i) => `let a${i} = held[(h + ${i}u) * params.K4 + k4];`)
      .join('\n    ')}
    ${range(flight)
      .map((i) => unit('out', `(h + ${i}u)`, `a${i}`))
      .join('\n    ')}
  }`,
    )
    .join('\n  ')}
  for (; h < params.width; h++) {
    let a = held[h * params.K4 + k4];
    ${unit('out', 'h', 'a')}
  }
  return out;
}`
}

/** M = A D, and residuals there. D is the code. */
fn scores() {
  for (var k4 = t; k4 < params.K4; k4 += T) {
    let m = products(k4);
    ${each(
      spec,
      `scratch[Ms + l * params.K4 + k4] = m[l];
      putResidual(l, k4, weightsAt(l, k4) * slopeLess(m[l], entriesAt(l, k4)));`,
    )}
  }
  ${settled(spec)}
}

fn putResidual(l: u32, k4: u32, r: vec4f) {
  ${spec.residuals === 'room' ? 'room[l * params.K4 + k4] = r;' : 'scratch[Mds + (R + l) * params.K4 + k4] = r;'}
}
fn residual(l: u32, k4: u32) -> vec4f {
  ${spec.residuals === 'room' ? 'return room[l * params.K4 + k4];' : 'return scratch[Mds + (R + l) * params.K4 + k4];'}
}

${backFunction(spec, 'back', 'G', '', spec.exact, spec.put)}
${collectFunction(spec)}
const NEVER = 100u;

/** Losses at the scores M, a lane a component of sums[0] and after. */
fn collectLosses() {
  var f = array<f32, R>();
  for (var k4 = t; k4 < params.K4; k4 += T) {
    // Padding beyond the last entry counts nothing.
    let inside = vec4f(4u * k4 + vec4u(0u, 1u, 2u, 3u) < vec4u(params.K));
    ${each(spec, 'f[l] += dot(inside, weightsAt(l, k4) * well(scratch[Ms + l * params.K4 + k4], entriesAt(l, k4)));')}
  }
  ${collectLanes(spec, ['f'])}
}

${
  spec.losses
    ? `fn writeLosses() {
  workgroupBarrier();
  collectLosses();
  if (t < R && first + t < params.end) { losses[first + t] = sums[t >> 2u][t & 3u]; }
}`
    : ''
}
`;
}

/**
 * Entries of item number l of the workgroup's, four at a time, and what they weigh. `first` is its first
 * item.
 */
export function itemFunctions({ entries, masked }: Pick<PanelSpec, 'entries' | 'masked'>): string {
  return /* wgsl */ `
/** Lanes beyond the last item work on that one, and nobody hears of it. */
fn itemOf(l: u32) -> u32 {
  return min(first + l, params.end - 1u);
}

fn entriesAt(l: u32, k4: u32) -> vec4f {
  ${
    entries === 'bits'
      ? `let word = entries[itemOf(l) * params.words + (k4 >> 3u)];
  let four = (vec4u(word) >> (vec4u(0u, 1u, 2u, 3u) + ((k4 & 7u) << 2u))) & vec4u(1u);
  return 2.0 * vec4f(four) - 1.0;`
      : `let at = itemOf(l) * params.words + 4u * k4;
  return bitcast<vec4f>(vec4u(entries[at], entries[at + 1u], entries[at + 2u], entries[at + 3u]));`
  }
}

fn weightsAt(l: u32, k4: u32) -> vec4f {
  var weight = vec4f(params.half);
  ${
    masked
      ? `if (params.weighted == 1u) {
    let at = 4u * k4;
    weight *= vec4f(weights[at], weights[at + 1u], weights[at + 2u], weights[at + 3u]);
    weight *= weights[4u * params.K4 + itemOf(l)];
  }
  if (params.knownAt > 0u) {
    let word = entries[params.knownAt + itemOf(l) * params.knownWords + (k4 >> 3u)];
    weight *= vec4f((vec4u(word) >> (vec4u(0u, 1u, 2u, 3u) + ((k4 & 7u) << 2u))) & vec4u(1u));
  }`
      : ''
  }
  return weight;
}
`;
}

/** A barrier after which residuals are seen by all threads. */
export function settled({ residuals }: Pick<PanelSpec, 'residuals'>): string {
  return residuals === 'room' ? 'workgroupBarrier();' : 'storageBarrier();\n  workgroupBarrier();';
}

/** What every panel is told. */
export const panelFields = {
  K: 'u32',
  K4: 'u32',
  width: 'u32',
  W4: 'u32',
  free: 'u32',
  F4: 'u32',
  start: 'u32',
  end: 'u32',
  codesAt: 'u32',
  words: 'u32',
  knownAt: 'u32',
  knownWords: 'u32',
  weighted: 'u32',
  half: 'f32',
} as const satisfies Fields;

export function panelBuffers({ masked }: Pick<PanelSpec, 'masked'>) {
  return {
    held: 'read vec4f',
    entries: 'read u32',
    ...(masked && { weights: 'read f32' }),
    codes: 'write f32',
    scratch: 'write vec4f',
  } as const satisfies Buffers;
}

export const ENTRY = (body: string) => /* wgsl */ `
@compute @workgroup_size(T) fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  enterPanel(local, group, groups);
${body}
}
`;

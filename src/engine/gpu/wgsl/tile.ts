import type { TileSpec } from '../tile.ts';
import { lossFunctions } from './loss.ts';
import { itemFunctions, range } from './panel.ts';

/**
 * Losses, gaps of Frank and Wolfe, and gradients of many rows at their codes as they are: 64 rows per workgroup, whose codes are
 * in its memory. It goes through the columns in tiles of 64. A thread takes the scores of eight rows at four columns, puts
 * their residuals into the workgroup's memory, and then adds up the gradients of some rows at a few groups of four units, which
 * stay its own to the end. So a number of W serves 64 rows each time it is read, and nothing but the tile's residuals passes
 * from thread to thread.
 */
export function tileProgram(spec: TileSpec): string {
  const { W4, rowsEach, loss, entries, losses, gaps, slopes, scores } = spec;
  const unitThreads = unitThreadsOf(spec);
  const groups = range(spec.unitsEach);
  const fours = range(rowsEach / 4);
  const backward = gaps || slopes;
  const sum = (p: number, i: number) => `g${p}_${i}`;
  // Puts a function of a thread's gradients into the tile, summed over its units.
  const parts = (what: string) => `workgroupBarrier();
  ${fours
    .map((q) => {
      const rows = range(4).map((i) =>
        groups
          .map((p) => `${what}(4u * mine + ${4 * q + i}u, unit + ${p * unitThreads}u, ${sum(p, 4 * q + i)})`)
          .join(' + '),
      );
      return `tile[PITCH * unit + mine + ${q}u] = vec4f(${rows.join(', ')});`;
    })
    .join('\n  ')}`;
  return /* wgsl */ `
const T = ${THREADS}u;
const R = ${spec.R}u;
${lossFunctions(loss, entries === 'bits')}
// Codes: unit h of rows 4 r to 4 r + 3 at 16 h + r. Residuals: column c of the tile at PITCH c + r, which no two threads of a quarter
// of a warp find in the same bank; columns are sorted by their place in a group of four.
const PITCH = 17u;
var<workgroup> E: array<vec4f, ${64 * W4}>;
var<workgroup> tile: array<vec4f, ${64 * 17}>;
var<private> first: u32;
${itemFunctions(spec)}
@compute @workgroup_size(T) fn main(
  @builtin(local_invocation_index) t: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let begin = ${ROWS}u * (group.y * groups.x + group.x);
  first = params.start + begin;
  for (var e = t; e < 16u * params.width; e += T) {
    let h = e >> 4u;
    let l = 4u * (e & 15u);
    E[e] = vec4f(codeAt(l, h), codeAt(l + 1u, h), codeAt(l + 2u, h), codeAt(l + 3u, h));
  }
  workgroupBarrier();
  let c4 = t & 15u;
  let r8 = t >> 4u;
  let unit = t % ${unitThreads}u;
  let mine = (t / ${unitThreads}u) * ${rowsEach / 4}u;
  ${losses ? 'var low = vec4f(0.0);\n  var high = vec4f(0.0);' : ''}
  ${
    backward
      ? groups
          .map((p) =>
            range(rowsEach)
              .map((i) => `var ${sum(p, i)} = vec4f(0.0);`)
              .join(' '),
          )
          .join('\n  ')
      : ''
  }
  for (var low4 = 0u; low4 < params.K4; low4 += 16u) {
    let k4 = low4 + c4;
    ${range(8)
      .map((i) => `var m${i} = vec4f(0.0);`)
      .join(' ')}
    var h = 0u;
    for (; h + 4u <= params.width; h += 4u) {
      ${range(4)
        .map((u) => `let a${u} = held[(h + ${u}u) * params.K4 + k4];`)
        .join('\n      ')}
      ${range(4)
        .map((u) => scoresOf(`a${u}`, `(h + ${u}u)`))
        .join('\n      ')}
    }
    for (; h < params.width; h++) {
      let a = held[h * params.K4 + k4];
      ${scoresOf('a', 'h')}
    }
    let inside = vec4f(4u * k4 + vec4u(0u, 1u, 2u, 3u) < vec4u(params.K));
    ${
      losses
        ? `low += vec4f(${range(4).map(lossAt).join(', ')});
    high += vec4f(${range(4)
      .map((i) => lossAt(i + 4))
      .join(', ')});`
        : ''
    }
    ${
      scores
        ? range(8)
            .map((i) => `keep(begin + 8u * r8 + ${i}u, k4, m${i});`)
            .join('\n    ')
        : ''
    }
    ${
      backward
        ? `${range(8)
            .map((i) => `m${i} = inside * residualAt(8u * r8 + ${i}u, k4, m${i});`)
            .join('\n    ')}
    workgroupBarrier();
    ${range(4)
      .map((j) => {
        const four = (at: number) => range(4).map((i) => `m${at + i}.${'xyzw'[j]}`);
        return `tile[PITCH * (${16 * j}u + c4) + 2u * r8] = vec4f(${four(0).join(', ')});
    tile[PITCH * (${16 * j}u + c4) + 2u * r8 + 1u] = vec4f(${four(4).join(', ')});`;
      })
      .join('\n    ')}
    workgroupBarrier();
    for (var c = 0u; c < 16u; c++) {
      let at = params.width * params.K4 + 4u * (low4 + c) * params.W4 + unit;
      ${range(4)
        .flatMap((j) =>
          groups.map((p) => `let a${j}_${p} = held[at + ${j}u * params.W4 + ${p * unitThreads}u];`),
        )
        .join('\n      ')}
      ${range(4)
        .map(
          (j) => `{
        ${fours.map((q) => `let r${q} = tile[PITCH * (${16 * j}u + c) + mine + ${q}u];`).join('\n        ')}
        ${groups
          .flatMap((p) =>
            range(rowsEach).map(
              (i) => `${sum(p, i)} = fma(a${j}_${p}, vec4f(r${i >> 2}.${'xyzw'[i & 3]}), ${sum(p, i)});`,
            ),
          )
          .join('\n        ')}
      }`,
        )
        .join('\n      ')}
    }`
        : ''
    }
  }
  ${slopes ? 'if (t < 64u && first + t < params.end) {\n    for (var h = params.free; h < params.width; h++) { slopes[(first + t) * params.width + h] = 0.0; }\n  }' : ''}
  ${
    slopes
      ? groups
          .map((p) =>
            range(rowsEach)
              .map((i) => `put(4u * mine + ${i}u, unit + ${p * unitThreads}u, ${sum(p, i)});`)
              .join('\n  '),
          )
          .join('\n  ')
      : ''
  }
  ${
    gaps
      ? `${parts('inward')}
  let inwards = total(t, ${unitThreads}u);
  ${parts('steepness')}
  let steepnesses = total(t, ${unitThreads}u);
  var reach = vec4f(params.radius);
  if (t < 16u) {
    for (var h = 0u; h < params.free; h++) { reach = max(reach, abs(E[16u * h + t])); }
  }
  let gap = fma(reach, steepnesses, inwards);
  for (var i = 0u; i < 4u; i++) {
    if (t < 16u && first + 4u * t + i < params.end) { gaps[first + 4u * t + i] = gap[i]; }
  }`
      : ''
  }
  ${
    losses
      ? `workgroupBarrier();
  tile[PITCH * c4 + 2u * r8] = low;
  tile[PITCH * c4 + 2u * r8 + 1u] = high;
  let loss = total(t, 16u);
  for (var i = 0u; i < 4u; i++) {
    if (t < 16u && first + 4u * t + i < params.end) { losses[first + 4u * t + i] = loss[i]; }
  }`
      : ''
  }
}

fn codeAt(l: u32, h: u32) -> f32 {
  return codes[(params.codesAt + itemOf(l)) * params.width + h];
}

fn residualAt(l: u32, k4: u32, m: vec4f) -> vec4f {
  return weightsAt(l, k4) * slopeLess(m, entriesAt(l, k4));
}

/** Of four rows, the sum of what \`count\` threads have put into the tile, in their order. */
fn total(t: u32, count: u32) -> vec4f {
  workgroupBarrier();
  var sum = vec4f(0.0);
  if (t < 16u) {
    for (var i = 0u; i < count; i++) { sum += tile[PITCH * i + t]; }
  }
  return sum;
}
${losses ? LOSS : ''}
${gaps ? GAP : ''}
${slopes ? SLOPE : ''}
${scores ? SCORES : ''}
`;
}

/** Rows of a workgroup, and its threads. */
export const ROWS = 64;
const THREADS = 128;

/** Threads that share the units of a row. */
export function unitThreadsOf({ rowsEach }: Pick<TileSpec, 'rowsEach'>): number {
  return (THREADS * rowsEach) / ROWS;
}

/** Bytes of the workgroup's memory. */
export function tileBytes({ W4 }: Pick<TileSpec, 'W4'>): number {
  return 16 * (ROWS * W4 + ROWS * 17);
}

/** Adds a unit's share to the scores of eight rows. */
const scoresOf = (a: string, h: string) => `{
        let e0 = E[16u * ${h} + 2u * r8];
        let e1 = E[16u * ${h} + 2u * r8 + 1u];
        ${range(8)
          .map((i) => `m${i} = fma(${a}, vec4f(e${i >> 2}.${'xyzw'[i & 3]}), m${i});`)
          .join('\n        ')}
      }`;

const lossAt = (i: number) => `lossAt(8u * r8 + ${i}u, k4, m${i}, inside)`;

const LOSS = /* wgsl */ `
fn lossAt(l: u32, k4: u32, m: vec4f, inside: vec4f) -> f32 {
  return dot(inside, weightsAt(l, k4) * well(m, entriesAt(l, k4)));
}`;

const GAP = /* wgsl */ `
/** The share of four units in sum_h g_h e_h. */
fn inward(l: u32, unit: u32, g: vec4f) -> f32 {
  var sum = 0.0;
  for (var i = 0u; i < 4u; i++) {
    let h = 4u * unit + i;
    if (h < params.free) { sum += g[i] * E[16u * h + (l >> 2u)][l & 3u]; }
  }
  return sum;
}

/** The share of four units in sum_h |g_h|. */
fn steepness(l: u32, unit: u32, g: vec4f) -> f32 {
  return dot(abs(g), vec4f(4u * unit + vec4u(0u, 1u, 2u, 3u) < vec4u(params.free)));
}`;

const SLOPE = /* wgsl */ `
/** Four numbers of the gradient in the code. That of the bias unit, which does not move, is 0. */
fn put(l: u32, unit: u32, g: vec4f) {
  for (var i = 0u; i < 4u; i++) {
    let h = 4u * unit + i;
    if (first + l < params.end && h < params.free) { slopes[(first + l) * params.width + h] = g[i]; }
  }
}`;

const SCORES = /* wgsl */ `
/** Scores where sums over the rows expect them: as a panel leaves them. */
fn keep(row: u32, k4: u32, m: vec4f) {
  if (k4 < params.K4 && params.start + row < params.end) {
    scratch[(row / R) * params.perPanel + (row % R) * params.K4 + k4] = m;
  }
}`;

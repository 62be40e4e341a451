import type { TileShape, TileSpec } from '../tile.ts';
import { lossFunctions } from './loss.ts';
import { itemFunctions } from './panel.ts';
import { range } from './text.ts';

/**
 * Losses, gaps of Frank and Wolfe, and gradients of many rows at their codes as they are, by workgroups that
 * have some rows and go through the columns, 128 at a time. Both products are made as a product of large
 * matrices is: numbers that many threads need are put into the workgroup's memory, and each thread takes
 * eight rows of four or eight columns, so that a number that it reads serves that many multiply-adds. Scores
 * stay in registers; their residuals go to the other threads by slices of the columns. Gradients stay the
 * thread's own to the end.
 */
export function tileProgram(spec: TileSpec): string {
  const { threads, quads, columnThreads, columnsEach, depth, slice, unitThreads } = spec;
  const { loss, entries, losses, gaps, slopes, scores } = spec;
  const eight = range(8);
  const half = quads / 2;
  const wide = columnThreads * columnsEach;
  const two = range(columnsEach);
  const fours = range((quads * unitThreads) / threads);
  const backward = gaps || slopes;
  const sum = (i: number) => `g${i}`;
  const mine = fours.flatMap((q) =>
    range(4).map((i) => ({ i: 4 * q + i, row: `rowOf(low2, ${q}u) + ${i}u` })),
  );
  /**
   * Fills the workgroup's memory, once nobody reads it any more; all of a thread's numbers are on their way
   * at a time.
   */
  const fill = (...parts: readonly Part[]) => {
    const all = parts.flatMap((part, p) =>
      range(Math.ceil(part.most / threads)).map((i) => ({
        part,
        name: `n${p}_${i}`,
        e: `(t + ${i * threads}u)`,
      })),
    );
    return `${all
      .map(
        ({ part, name, e }) => `var ${name} = vec4f(0.0);
      if (${e} < ${part.count}) { var number = vec4f(0.0); ${part.number(e)} ${name} = number; }`,
      )
      .join('\n      ')}
      workgroupBarrier();
      ${all.map(({ part, name, e }) => `if (${e} < ${part.count}) { pool[${part.to(e)}] = ${name}; }`).join('\n      ')}`;
  };
  // Puts a function of a thread's gradients into the workgroup's memory, summed over its units.
  const parts = (what: string) => `workgroupBarrier();
  ${fours
    .map((q) => {
      const sums = range(4).map((i) => `${what}(rowOf(low2, ${q}u) + ${i}u, unit, ${sum(4 * q + i)})`);
      return `pool[PITCH * unit + low2 + ${half * q}u] = vec4f(${sums.join(', ')});`;
    })
    .join('\n  ')}`;
  return /* wgsl */ `
const T = ${threads}u;
const R = ${spec.R}u;
const DEPTH = ${depth}u;
const QUADS = ${quads}u;
const WIDE = ${wide}u;
${lossFunctions(loss, entries === 'bits')}
// First codes (unit h of rows 4 r to 4 r + 3 at PITCH h + r) and W (unit h of columns 4 c to 4 c + 3 at
// ACROSS + WIDE h + c), then residuals (column 4 c + j of a slice of SLICE groups, of rows 4 r to 4 r + 3, at
// PITCH (SLICE j + c) + r: neighbours write to other banks) and W again (column c, units 4 j to 4 j + 3, at
// BEHIND + W4 c + j).
var<workgroup> pool: array<vec4f, ${tileBytes(spec) / 16}>;
const PITCH = ${quads + 1}u;
const BEHIND = ${4 * slice * (quads + 1)}u;
const ACROSS = ${(quads + 1) * depth}u;
var<private> first: u32;
${itemFunctions(spec)}
/** The first of four rows: those of a thread are in both halves. */
fn rowOf(low: u32, half: u32) -> u32 {
  return 4u * low + ${2 * quads}u * half;
}

@compute @workgroup_size(T) fn main(
  @builtin(local_invocation_index) t: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let begin = 4u * QUADS * (group.y * groups.x + group.x);
  first = params.start + begin;
  let c4 = t % ${columnThreads}u;
  let r4 = t / ${columnThreads}u;
  let unit = t % ${unitThreads}u;
  let low2 = t / ${unitThreads}u;
  ${losses ? 'var low = vec4f(0.0);\n  var high = vec4f(0.0);' : ''}
  ${backward ? mine.map(({ i }) => `var ${sum(i)} = vec4f(0.0);`).join(' ') : ''}
  for (var low4 = 0u; low4 < params.K4; low4 += WIDE) {
    ${eight.map((i) => two.map((q) => `var m${i}_${q} = vec4f(0.0);`).join(' ')).join('\n    ')}
    for (var deep = 0u; deep < params.width; deep += DEPTH) {
      ${fill(
        {
          most: quads * depth,
          count: 'QUADS * DEPTH',
          // Neighbouring threads take neighbouring numbers of a code.
          number: (e) => `{
          let h = deep + ${e} % DEPTH;
          let l = 4u * (${e} / DEPTH);
          if (h < params.width) { number = vec4f(codeAt(l, h), codeAt(l + 1u, h), codeAt(l + 2u, h), codeAt(l + 3u, h)); }
        }`,
          to: (e) => `PITCH * (${e} % DEPTH) + ${e} / DEPTH`,
        },
        {
          most: wide * depth,
          count: 'WIDE * DEPTH',
          number: (e) => `{
          let h = deep + ${e} / WIDE;
          let k4 = low4 + ${e} % WIDE;
          if (k4 < params.K4 && h < params.width) { number = held[h * params.K4 + k4]; }
        }`,
          to: (e) => `ACROSS + ${e}`,
        },
      )}
      workgroupBarrier();
      for (var h = 0u; h < DEPTH; h++) {
        let e0 = pool[PITCH * h + r4];
        let e1 = pool[PITCH * h + r4 + ${half}u];
        ${two.map((q) => `let a${q} = pool[ACROSS + WIDE * h + c4 + ${columnThreads * q}u];`).join('\n        ')}
        ${eight
          .map((i) =>
            two.map((q) => `m${i}_${q} = fma(a${q}, vec4f(e${i >> 2}[${i & 3}]), m${i}_${q});`).join(' '),
          )
          .join('\n        ')}
      }
    }
    ${two
      .map((q) => {
        const k4 = `k${q}`;
        return `let ${k4} = low4 + c4 + ${columnThreads * q}u;
    let in${q} = vec4f(4u * ${k4} + vec4u(0u, 1u, 2u, 3u) < vec4u(params.K));
    ${
      losses
        ? `low += vec4f(${range(4)
            .map((i) => lossAt(i, q))
            .join(', ')});\n    high += vec4f(${range(4)
            .map((i) => lossAt(i + 4, q))
            .join(', ')});`
        : ''
    }
    ${scores ? eight.map((i) => `keep(begin + ${rowOf(i)}, ${k4}, m${i}_${q});`).join('\n    ') : ''}
    ${backward ? eight.map((i) => `m${i}_${q} = in${q} * residualAt(${rowOf(i)}, ${k4}, m${i}_${q});`).join('\n    ') : ''}`;
      })
      .join('\n    ')}
    ${
      backward
        ? range(Math.ceil(wide / slice))
            .map((number) => {
              const low = slice * number;
              const count = Math.min(slice, wide - low);
              return `// Groups ${low} to ${low + count - 1} of four columns.
    if (low4 + ${low}u < params.K4) {
      ${fill({
        most: 4 * count * spec.W4,
        count: `${4 * count}u * params.W4`,
        number: (e) => `{
          let at = 4u * (low4 + ${low}u) * params.W4 + ${e};
          if (at < 4u * params.K4 * params.W4) { number = held[params.width * params.K4 + at]; }
        }`,
        to: (e) => `BEHIND + ${e}`,
      })}
      ${two
        .map((q) => ({ q, from: low - columnThreads * q }))
        .filter(({ from }) => from < columnThreads && from + count > 0)
        .map(
          ({ q, from }) => `if (${from > 0 ? `c4 >= ${from}u && ` : ''}c4 < ${from + count}u) {
        ${range(4)
          .map((j) => {
            const four = (at: number) =>
              range(4)
                .map((i) => `m${at + i}_${q}.${'xyzw'[j]}`)
                .join(', ');
            const at = slice * j - from;
            const column = at < 0 ? `(c4 - ${-at}u)` : `(c4 + ${at}u)`;
            return `pool[PITCH * ${column} + r4] = vec4f(${four(0)});
        pool[PITCH * ${column} + r4 + ${half}u] = vec4f(${four(4)});`;
          })
          .join('\n        ')}
      }`,
        )
        .join('\n      ')}
      workgroupBarrier();
      for (var j = 0u; j < 4u; j++) {
        for (var c = 0u; c < ${count}u; c++) {
          ${fours.map((q) => `let r${q} = pool[PITCH * (${slice}u * j + c) + low2 + ${half * q}u];`).join('\n          ')}
          let a = pool[BEHIND + params.W4 * (4u * c + j) + unit];
          ${mine.map(({ i }) => `${sum(i)} = fma(a, vec4f(r${i >> 2}[${i & 3}]), ${sum(i)});`).join('\n          ')}
        }
      }
    }`;
            })
            .join('\n    ')
        : ''
    }
  }
  ${slopes ? `if (t < 4u * QUADS && first + t < params.end) {\n    for (var h = params.free; h < params.width; h++) { slopes[(first + t) * params.width + h] = 0.0; }\n  }` : ''}
  ${slopes ? mine.map(({ i, row }) => `put(${row}, unit, ${sum(i)});`).join('\n  ') : ''}
  ${
    gaps
      ? `${parts('inward')}
  let inwards = total(t, ${unitThreads}u);
  ${parts('steepness')}
  let steepnesses = total(t, ${unitThreads}u);
  var reach = vec4f(params.radius);
  if (t < QUADS) {
    for (var h = 0u; h < params.free; h++) {
      let l = 4u * t;
      reach = max(reach, abs(vec4f(codeAt(l, h), codeAt(l + 1u, h), codeAt(l + 2u, h), codeAt(l + 3u, h))));
    }
  }
  let gap = fma(reach, steepnesses, inwards);
  for (var i = 0u; i < 4u; i++) {
    if (t < QUADS && first + 4u * t + i < params.end) { gaps[first + 4u * t + i] = gap[i]; }
  }`
      : ''
  }
  ${
    losses
      ? `workgroupBarrier();
  pool[PITCH * c4 + r4] = low;
  pool[PITCH * c4 + r4 + ${half}u] = high;
  let loss = total(t, ${columnThreads}u);
  for (var i = 0u; i < 4u; i++) {
    if (t < QUADS && first + 4u * t + i < params.end) { losses[first + 4u * t + i] = loss[i]; }
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

/** Of four rows, the sum of what \`count\` threads have put into the workgroup's memory, in their order. */
fn total(t: u32, count: u32) -> vec4f {
  workgroupBarrier();
  var sum = vec4f(0.0);
  if (t < QUADS) {
    for (var i = 0u; i < count; i++) { sum += pool[PITCH * i + t]; }
  }
  return sum;
}
${losses ? LOSS : ''}
${gaps ? GAP : ''}
${slopes ? SLOPE : ''}
${scores ? SCORES : ''}
`;
}

/**
 * Numbers for the workgroup's memory: how many there may be, how many there are, and where number e comes
 * from and goes.
 */
interface Part {
  readonly most: number;
  readonly count: string;
  number(e: string): string;
  to(e: string): string;
}

/** Bytes of the workgroup's memory. */
export function tileBytes({
  W4,
  quads,
  columnThreads,
  columnsEach,
  depth,
  slice,
  unitThreads,
}: TileShape): number {
  const pitch = quads + 1;
  return (
    16 *
    Math.max(
      (pitch + columnThreads * columnsEach) * depth,
      4 * slice * (pitch + W4),
      pitch * Math.max(columnThreads, unitThreads),
    )
  );
}

/** Row i of a thread's eight. */
const rowOf = (i: number) => `rowOf(r4, ${i >> 2}u) + ${i & 3}u`;

const lossAt = (i: number, q: number) => `lossAt(${rowOf(i)}, k${q}, m${i}_${q}, in${q})`;

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
    if (h < params.free) { sum += g[i] * codeAt(l, h); }
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

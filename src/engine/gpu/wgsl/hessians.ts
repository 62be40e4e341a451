import type { Buffers } from '../dispatcher.ts';
import type { PanelSpec } from '../panel.ts';
import type { Fields } from '../params.ts';
import { lossFunctions } from './loss.ts';
import { itemFunctions } from './panel.ts';
import { range } from './text.ts';

/**
 * Hessians A^T diag(c) A of many items at once (called rows here): as a product of two matrices, the
 * curvatures c (rows x entries, made from the scores that a solve left behind) and the products a_ki a_kj of
 * A's columns (entries x pairs). A workgroup takes 64 rows and 128 pairs through a slice of the entries, 16
 * at a time; a thread eight rows of eight pairs, which stay its own to the end. The products begin with entry
 * 4 from4.
 */
export function hessiansProgram(spec: Pick<PanelSpec, 'R' | 'loss' | 'entries' | 'masked'>): string {
  const eight = range(8);
  return /* wgsl */ `
const R = ${spec.R}u;
${lossFunctions(spec.loss, spec.entries === 'bits')}
// Entry k of rows 4 r to 4 r + 3 at 16 k + r, and of pairs 4 p to 4 p + 3 at 32 k + p.
var<workgroup> bends: array<vec4f, 256>;
var<workgroup> products: array<vec4f, 512>;
var<workgroup> left: u32;
var<private> first: u32;
${itemFunctions(spec)}
@compute @workgroup_size(128) fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3u) {
  let row0 = ${ROWS}u * (group.y % params.tall);
  let slice = group.y / params.tall;
  let open4 = params.from4 + slice * params.each4;
  let shut4 = min(params.to4, open4 + params.each4);
  let pair0 = ${PAIRS / 4}u * group.x;
  if (t == 0u) {
    left = 0u;
    for (var row = row0; row < min(row0 + ${ROWS}u, params.end - params.start); row++) { left += select(0u, 1u, settled[row] == 0.0); }
  }
  if (workgroupUniformLoad(&left) == 0u) { return; }
  first = params.start + row0;
  let r = 2u * (t >> 4u);
  let p = 2u * (t & 15u);
  ${eight.map((i) => `var low${i} = vec4f(0.0); var high${i} = vec4f(0.0);`).join('\n  ')}
  for (var k4 = open4; k4 < shut4; k4 += 4u) {
    workgroupBarrier();
    if (t < 64u) {
      let at = 4u * (t & 15u);
      let mine = k4 + (t >> 4u);
      ${range(4)
        .map((i) => `let c${i} = curvature(row0, at + ${i}u, mine);`)
        .join('\n      ')}
      ${range(4)
        .map(
          (u) =>
            `bends[16u * (4u * (t >> 4u) + ${u}u) + (t & 15u)] = vec4f(${range(4)
              .map((i) => `c${i}[${u}]`)
              .join(', ')});`,
        )
        .join('\n      ')}
    }
    for (var i = t; i < 512u; i += 128u) {
      let k = 4u * k4 + (i >> 5u);
      let pair = pair0 + (i & 31u);
      products[i] = vec4f(0.0);
      if (k < params.K && pair < params.P4) { products[i] = pairs[(k - 4u * params.from4) * params.P4 + pair]; }
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
      let a = bends[16u * k + r];
      let b = bends[16u * k + r + 1u];
      let x = products[32u * k + p];
      let y = products[32u * k + p + 1u];
      ${eight
        .map((i) => {
          const c = `vec4f(${i < 4 ? 'a' : 'b'}[${i & 3}])`;
          return `low${i} = fma(${c}, x, low${i}); high${i} = fma(${c}, y, high${i});`;
        })
        .join('\n      ')}
    }
  }
  ${eight.map((i) => `put(params.slot + slice, row0 + 4u * r + ${i}u, pair0 + p, low${i}, high${i});`).join('\n  ')}
}

/** Half of Psi'' at four scores of a row. */
fn curvature(row0: u32, l: u32, k4: u32) -> vec4f {
  let row = row0 + l;
  if (k4 >= params.K4 || params.start + row >= params.end) { return vec4f(0.0); }
  return weightsAt(l, k4) * bend(scratch[(row / R) * params.perPanel + (row % R) * params.K4 + k4]);
}

fn put(slot: u32, row: u32, pair: u32, low: vec4f, high: vec4f) {
  if (params.start + row >= params.end) { return; }
  let at = (slot * (params.end - params.start) + row) * params.P4 + pair;
  if (pair < params.P4) { squares[at] = low; }
  if (pair + 1u < params.P4) { squares[at + 1u] = high; }
}
`;
}

/** Rows and pairs of a workgroup. */
export const ROWS = 64;
export const PAIRS = 128;

export const hessiansFields = {
  K: 'u32',
  K4: 'u32',
  P4: 'u32',
  start: 'u32',
  end: 'u32',
  perPanel: 'u32',
  words: 'u32',
  knownAt: 'u32',
  knownWords: 'u32',
  weighted: 'u32',
  half: 'f32',
  from4: 'u32',
  to4: 'u32',
  each4: 'u32',
  tall: 'u32',
  slot: 'u32',
} as const satisfies Fields;

export function hessiansBuffers({ masked }: Pick<PanelSpec, 'masked'>) {
  return {
    entries: 'read u32',
    ...(masked && { weights: 'read f32' }),
    scratch: 'read vec4f',
    pairs: 'read vec4f',
    settled: 'read f32',
    squares: 'write vec4f',
  } as const satisfies Buffers;
}

/**
 * pairs[k] = a_ki a_kj for all j <= i, row by row of the triangle, from row `first` of A on; 0 beyond the
 * last. One thread per number.
 */
export const pairsProgram = /* wgsl */ `
  let k = i / (4u * params.P4);
  let pair = i % (4u * params.P4);
  var row = u32((sqrt(8.0 * f32(pair) + 1.0) - 1.0) * 0.5);
  // The root may be off by one.
  if (row * (row + 1u) / 2u > pair) { row--; }
  if ((row + 1u) * (row + 2u) / 2u <= pair) { row++; }
  let column = pair - row * (row + 1u) / 2u;
  var product = 0.0;
  if (row < params.free && k < params.left) {
    let at = (params.first + k) * params.width;
    product = held[at + row] * held[at + column];
  }
  pairs[i] = product;`;

import type { Buffers } from '../dispatcher.ts';
import type { OuterSpec } from '../outer.ts';
import type { PanelSpec } from '../panel.ts';
import type { Fields } from '../params.ts';
import { lossFunctions } from './loss.ts';
import { range } from './text.ts';

/**
 * Sums over rows of f e^T: f has K numbers a row (residuals at scores, entries, or numbers at hand), e the
 * `width` numbers of another factor. A workgroup has a tile of f's columns and a slice of the rows; a thread
 * four columns times four numbers. Slices are added up by \`addSlices\`, in their order.
 */
export function outerProgram({ source, tile, rows, W4, T, panel, rowWeighted }: OuterSpec): string {
  // All of a thread's numbers are on their way at a time.
  const turns = range(Math.ceil((rows * W4) / T));
  return /* wgsl */ `
const T = ${T}u;
const TILE = ${tile}u;
const W4 = ${W4}u;
const ROWS = ${rows}u;
${panel ? lossFunctions(panel.loss, panel.entries === 'bits') : ''}
var<workgroup> fs: array<vec4f, ${rows * tile}>;
var<workgroup> cs: array<vec4f, ${source === 'residuals' ? rows * tile : 1}>;
var<workgroup> es: array<vec4f, ${rows * W4}>;
${SOURCES[source]({ entries: panel?.entries ?? 'real', masked: panel?.masked ?? false, rowWeighted })}

@compute @workgroup_size(T) fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3u) {
  let tile = group.x * TILE;
  let low = group.y * params.sliceRows;
  let high = min(params.rows, low + params.sliceRows);
  let v = t % TILE;
  let h = t / TILE;
  var a0 = vec4f(0.0);
  var a1 = vec4f(0.0);
  var a2 = vec4f(0.0);
  var a3 = vec4f(0.0);
  var bends = vec4f(0.0);
  for (var base = low; base < high; base += ROWS) {
    for (var i = t; i < ROWS * TILE; i += T) {
      let row = base + i / TILE;
      let k4 = tile + i % TILE;
      fs[i] = vec4f(0.0);
      ${source === 'residuals' ? 'cs[i] = vec4f(0.0);' : ''}
      if (row < high && k4 < params.K4) { load(i, row, k4); }
    }
    ${turns.map((k) => `let e${k} = factors4(base, t + ${k * T}u, high);`).join('\n    ')}
    ${turns.map((k) => `if (t + ${k * T}u < ROWS * W4) { es[t + ${k * T}u] = e${k}; }`).join('\n    ')}
    workgroupBarrier();
    if (h < W4) {
      for (var k = 0u; k < ROWS; k++) {
        let f = fs[k * TILE + v];
        let e = es[k * W4 + h];
        a0 = fma(vec4f(f.x), e, a0);
        a1 = fma(vec4f(f.y), e, a1);
        a2 = fma(vec4f(f.z), e, a2);
        a3 = fma(vec4f(f.w), e, a3);
        ${source === 'residuals' ? 'if (h == 0u) { bends += cs[k * TILE + v]; }' : ''}
      }
    }
    workgroupBarrier();
  }
  let k4 = tile + v;
  if (h >= W4 || k4 >= params.K4) { return; }
  let slot = params.slot + group.y;
  let at = (slot * 4u * params.K4 + 4u * k4) * W4 + h;
  if (params.more == 1u) {
    a0 += slices[at];
    a1 += slices[at + W4];
    a2 += slices[at + 2u * W4];
    a3 += slices[at + 3u * W4];
  }
  slices[at] = a0;
  slices[at + W4] = a1;
  slices[at + 2u * W4] = a2;
  slices[at + 3u * W4] = a3;
  ${
    source === 'residuals'
      ? `if (h == 0u) {
    let place = params.slots * 4u * params.K4 * W4 + slot * params.K4 + k4;
    if (params.more == 1u) { bends += slices[place]; }
    slices[place] = bends;
  }`
      : ''
  }
}

/**
 * Four numbers of the factor: the i-th of the rows from base on. There is no branch, so that nothing waits
 * for the one before.
 */
fn factors4(base: u32, i: u32, high: u32) -> vec4f {
  let row = base + i / W4;
  let h = 4u * (i % W4) + vec4u(0u, 1u, 2u, 3u);
  let at = (params.factorAt + row) * params.width + min(h, vec4u(params.width - 1u));
  let e = vec4f(factors[at.x], factors[at.y], factors[at.z], factors[at.w]);
  return select(vec4f(0.0), e, (h < vec4u(params.width)) & vec4<bool>(row < high));
}

fn factor(row: u32, h: u32) -> f32 {
  if (h >= params.width) { return 0.0; }
  return factors[(params.factorAt + row) * params.width + h];
}
`;
}

type Source = (how: Pick<PanelSpec, 'entries' | 'masked'> & { readonly rowWeighted: boolean }) => string;

const ENTRIES: Source = ({ entries, masked }) => /* wgsl */ `
fn entriesAt(item: u32, k4: u32) -> vec4f {
  ${
    entries === 'bits'
      ? `let word = entries[item * params.words + (k4 >> 3u)];
  return 2.0 * vec4f((vec4u(word) >> (vec4u(0u, 1u, 2u, 3u) + ((k4 & 7u) << 2u))) & vec4u(1u)) - 1.0;`
      : `let at = item * params.words + 4u * k4;
  return bitcast<vec4f>(vec4u(entries[at], entries[at + 1u], entries[at + 2u], entries[at + 3u]));`
  }
}
fn knownAt(item: u32, k4: u32) -> vec4f {
  ${
    masked
      ? `if (params.knownAt == 0u) { return vec4f(1.0); }
  let word = entries[params.knownAt + item * params.knownWords + (k4 >> 3u)];
  return vec4f((vec4u(word) >> (vec4u(0u, 1u, 2u, 3u) + ((k4 & 7u) << 2u))) & vec4u(1u));`
      : 'return vec4f(1.0);'
  }
}
`;

const SOURCES: Record<OuterSpec['source'], Source> = {
  residuals: (how) => /* wgsl */ `${ENTRIES(how)}
fn load(i: u32, row: u32, k4: u32) {
  let item = params.start + row;
  let m = scratch[(row / params.R) * params.perPanel + (row % params.R) * params.K4 + k4];
  var weight = 0.5 * knownAt(item, k4);
  ${how.rowWeighted ? 'weight *= rowWeights[item];' : ''}
  ${
    how.masked
      ? `if (params.weighted == 1u) {
    let at = 4u * k4;
    weight *= vec4f(weights[at], weights[at + 1u], weights[at + 2u], weights[at + 3u]);
  }`
      : ''
  }
  fs[i] = weight * slopeLess(m, entriesAt(item, k4));
  cs[i] = weight * bend(m);
}`,
  entries: (how) => /* wgsl */ `${ENTRIES(how)}
fn load(i: u32, row: u32, k4: u32) {
  fs[i] = knownAt(params.start + row, k4) * entriesAt(params.start + row, k4);
}`,
  numbers: ({ rowWeighted }) => /* wgsl */ `
fn load(i: u32, row: u32, k4: u32) {
  let at = 4u * k4;
  ${rowWeighted ? 'let weight = rowWeights[row];' : 'let weight = 1.0;'}
  fs[i] = weight * vec4f(factor(row, at), factor(row, at + 1u), factor(row, at + 2u), factor(row, at + 3u));
}`,
};

export const outerFields = {
  rows: 'u32',
  sliceRows: 'u32',
  start: 'u32',
  factorAt: 'u32',
  K4: 'u32',
  width: 'u32',
  words: 'u32',
  knownAt: 'u32',
  knownWords: 'u32',
  weighted: 'u32',
  R: 'u32',
  perPanel: 'u32',
  slot: 'u32',
  slots: 'u32',
  more: 'u32',
} as const satisfies Fields;

export function outerBuffers({ source, panel, rowWeighted }: OuterSpec) {
  return {
    factors: 'read f32',
    ...(source !== 'numbers' && { entries: 'read u32' }),
    ...(source === 'residuals' && { scratch: 'read vec4f' }),
    ...(rowWeighted && { rowWeights: 'read f32' }),
    ...(source === 'residuals' && panel?.masked && { weights: 'read f32' }),
    slices: 'write vec4f',
  } as const satisfies Buffers;
}

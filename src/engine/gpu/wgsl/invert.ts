import type { Fields } from '../params.ts';

/**
 * The inverse of a symmetric positive definite matrix given by slices of a Gram matrix, raised by a ridge and a trace of
 * jitter, by one workgroup: Cholesky's factor L, its inverse column by column, and L^-T L^-1, which is positive definite
 * however badly conditioned the matrix was. As many of the two triangles as fit (`kept`) are in the workgroup's memory, with
 * `room` numbers each.
 */
export function invertProgram(T: number, room: number, kept: 0 | 1 | 2): string {
  const at = kept > 0 ? 'triangle' : 'work';
  const lower = (k: string, j: string) =>
    kept > 1 ? `inverted[place(${k}, ${j})]` : `lower[${k} * H + ${j}]`;
  return /* wgsl */ `
const T = ${T}u;
${kept > 0 ? `var<workgroup> triangle: array<f32, ${room}>;` : ''}
${kept > 1 ? `var<workgroup> inverted: array<f32, ${room}>;` : ''}
var<workgroup> column: array<f32, 1024>;
var<workgroup> unit: f32;
var<workgroup> pivot: f32;

fn place(i: u32, j: u32) -> u32 {
  return i * (i + 1u) / 2u + j;
}

@compute @workgroup_size(T) fn main(@builtin(local_invocation_index) t: u32) {
  let H = params.H;
  for (var e = t; e < H * H; e += T) {
    let i = e / H;
    let j = e % H;
    if (j > i) { continue; }
    var sum = 0.0;
    for (var s = 0u; s < params.slots; s++) {
      sum += slices[(s * 4u * params.W4 + i) * params.W4 + (j >> 2u)][j & 3u];
    }
    ${at}[place(i, j)] = sum + select(0.0, params.ridge, i == j);
  }
  storageBarrier();
  workgroupBarrier();
  if (t == 0u) {
    var sum = 0.0;
    for (var h = 0u; h < H; h++) { sum += ${at}[place(h, h)]; }
    unit = params.jitter * select(1.0, max(sum / f32(H), 1e-24), sum > 0.0);
  }
  workgroupBarrier();
  ${inverseSteps({
    at,
    lower,
    barrier: 'storageBarrier();\n  workgroupBarrier();',
    put: (sum) => `inverse[i * H + j] = ${sum};
    inverse[j * H + i] = ${sum};`,
  })}
}
`;
}

/**
 * From a triangle with H rows to its inverse: Cholesky's factor, that factor's inverse, and their product. A pivot that
 * rounding has eaten up is what the jitter (`unit`) makes it.
 */
export function inverseSteps({
  at,
  lower,
  barrier,
  put,
}: {
  readonly at: string;
  readonly lower: (k: string, j: string) => string;
  readonly barrier: string;
  readonly put: (sum: string) => string;
}): string {
  return /* wgsl */ `for (var k = 0u; k < H; k++) {
    if (t == 0u) { pivot = inverseSqrt(max(${at}[place(k, k)] + unit, unit)); }
    workgroupBarrier();
    for (var i = k + t; i < H; i += T) {
      column[i] = select(${at}[place(i, k)] * pivot, 1.0 / pivot, i == k);
      ${at}[place(i, k)] = column[i];
    }
    workgroupBarrier();
    let left = H - k - 1u;
    for (var e = t; e < left * left; e += T) {
      let i = k + 1u + e / left;
      let j = k + 1u + e % left;
      if (j <= i) { ${at}[place(i, j)] -= column[i] * column[j]; }
    }
    ${barrier}
  }
  for (var j = t; j < H; j += T) {
    for (var i = j; i < H; i++) {
      var sum = select(0.0, 1.0, i == j);
      for (var k = j; k < i; k++) { sum -= ${at}[place(i, k)] * ${lower('k', 'j')}; }
      ${lower('i', 'j')} = sum / ${at}[place(i, i)];
    }
  }
  ${barrier}
  for (var e = t; e < H * H; e += T) {
    let i = e / H;
    let j = e % H;
    if (j > i) { continue; }
    var sum = 0.0;
    for (var k = i; k < H; k++) { sum += ${lower('k', 'i')} * ${lower('k', 'j')}; }
    ${put('sum')}
  }`;
}

export const invertFields = {
  ...{ H: 'u32', W4: 'u32', slots: 'u32', ridge: 'f32', jitter: 'f32' },
} as const satisfies Fields;

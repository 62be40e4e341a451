import type { Fields } from '../params.ts';

/** Units of the largest matrix. */
export const MOST_UNITS = 1024;

/**
 * The inverse of a symmetric positive definite matrix given by slices of a Gram matrix, raised by a ridge and
 * a trace of jitter, by one workgroup: the inverse X of Cholesky's factor, and X^T X, which is positive
 * definite however badly conditioned the matrix was. The triangle is in the workgroup's memory where there is
 * `room` for it.
 */
export function invertProgram(T: number, room: number): string {
  const at = room > 0 ? 'triangle' : 'work';
  return /* wgsl */ `
const T = ${T}u;
${room > 0 ? `var<workgroup> triangle: array<f32, ${room}>;` : ''}
var<workgroup> unit: f32;

@compute @workgroup_size(T) fn main(@builtin(local_invocation_index) t: u32) {
  let H = params.H;
  for (var e = t; e < H * params.W4; e += T) {
    let i = e / params.W4;
    let low = 4u * (e % params.W4);
    if (low > i) { continue; }
    var sum = vec4f(0.0);
    for (var s = 0u; s < params.slots; s++) { sum += slices[s * 4u * params.W4 * params.W4 + e]; }
    for (var j = low; j <= min(i, low + 3u); j++) {
      ${at}[place(i, j)] = sum[j - low] + select(0.0, params.ridge, i == j);
    }
  }
  ${barrierOf(at)}
  if (t == 0u) {
    var sum = 0.0;
    for (var h = 0u; h < H; h++) { sum += ${at}[place(h, h)]; }
    unit = params.jitter * select(1.0, max(sum / f32(H), 1e-24), sum > 0.0);
  }
  workgroupBarrier();
  ${factorSteps(at)}
  ${productSteps(
    at,
    (sum) => `inverse[i * H + j] = ${sum};
    inverse[j * H + i] = ${sum};`,
  )}
}
${FACTOR}
`;
}

/**
 * From a triangle with H rows to the inverse X of its Cholesky factor L, in its place: row k of X is ready
 * after step k, and rows below it hold what is left of the matrix to the right of column k, and of X to its
 * left. A pivot that rounding has eaten up is what the jitter (`unit`) makes it.
 */
export function factorSteps(at: string): string {
  return /* wgsl */ `for (var k = 0u; k < H; k++) {
    let pivot = inverseSqrt(max(${at}[place(k, k)] + unit, unit));
    for (var j = t; j < H; j += T) {
      // Row k of X, and column k of L below it.
      column[j] = pivot * select(select(${at}[place(max(j, k), k)], 1.0, j == k), ${at}[place(k, min(j, k))], j < k);
    }
    workgroupBarrier();
    for (var j = t; j <= k; j += T) { ${at}[place(k, j)] = column[j]; }
    for (var i = k + 1u + t / 32u; i < H; i += T / 32u) {
      let factor = -column[i];
      let row = place(i, 0u);
      for (var j = t % 32u; j <= i; j += 32u) {
        ${at}[row + j] = fma(factor, column[j], select(${at}[row + j], 0.0, j == k));
      }
    }
    ${barrierOf(at)}
  }`;
}

/** X^T X, given its numbers one by one. */
export function productSteps(at: string, put: (sum: string) => string): string {
  return /* wgsl */ `for (var e = t; e < H * H; e += T) {
    let i = e / H;
    let j = e % H;
    if (j > i) { continue; }
    var sum = 0.0;
    for (var k = i; k < H; k++) { sum = fma(${at}[place(k, i)], ${at}[place(k, j)], sum); }
    ${put('sum')}
  }`;
}

/** What these steps need beside the triangle. */
export const FACTOR = /* wgsl */ `
var<workgroup> column: array<f32, ${MOST_UNITS}>;

fn place(i: u32, j: u32) -> u32 {
  return i * (i + 1u) / 2u + j;
}
`;

const barrierOf = (at: string) => `${at === 'triangle' ? '' : 'storageBarrier();\n    '}workgroupBarrier();`;

export const invertFields = {
  H: 'u32',
  W4: 'u32',
  slots: 'u32',
  ridge: 'f32',
  jitter: 'f32',
} as const satisfies Fields;

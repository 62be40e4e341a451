import { range } from './panel.ts';

/** Units of the largest matrix whose inverse is made in registers. */
export const MOST_SMALL_UNITS = 128;
/** Threads along a side of the matrix. */
export const SIDE = 16;

/**
 * The inverse of a symmetric positive definite matrix given by slices of a Gram matrix, raised by a ridge and a trace of
 * jitter, by one workgroup, in place. Step k finishes row k of X, the inverse of Cholesky's factor L, and with it column
 * k of L. Rows below go on to what is left of matrix and X; rows up to k go on to the sum of outer products of rows of X, which is
 * X^T X in the end: positive definite however badly conditioned the matrix was. Each thread has one of 16 x 16 numbers in
 * registers, of all `blocks` x `blocks` squares up to the diagonal; a step needs one barrier.
 */
export function invertSmallProgram(blocks: number): string {
  const rows = range(blocks);
  const pairs = rows.flatMap((p) => range(p + 1).map((q) => [p, q] as const));
  const last = blocks - 1;
  return /* wgsl */ `
// What row and column k hold before step k, of two steps in turns; before the first step the diagonal.
var<workgroup> line: array<f32, ${2 * SIDE * blocks}>;

@compute @workgroup_size(${SIDE * SIDE}) fn main(@builtin(local_invocation_index) t: u32) {
  let H = params.H;
  let y = t / ${SIDE}u;
  let x = t % ${SIDE}u;
  ${pairs.map(([p, q]) => `var a${p}_${q} = select(0.0, params.ridge, x == y && ${p} == ${q});`).join('\n  ')}
  // All numbers of a slice are on their way at a time.
  for (var s = 0u; s < params.slots; s++) {
    ${pairs.map(([p, q]) => `a${p}_${q} += entry(s, ${SIDE * p}u + y, ${SIDE * q}u + x);`).join('\n    ')}
  }
  if (x == y) {
    ${rows.map((p) => `line[${SIDE * p}u + y] = a${p}_${p};`).join('\n    ')}
  }
  workgroupBarrier();
  var trace = 0.0;
  for (var h = 0u; h < H; h++) { trace += line[h]; }
  let unit = params.jitter * select(1.0, max(trace / f32(H), 1e-24), trace > 0.0);
  workgroupBarrier();
  for (var k = 0u; k < H; k++) {
    let block = k / ${SIDE}u;
    let inside = k % ${SIDE}u;
    let turn = (k & 1u) * ${SIDE * blocks}u;
    // Whoever has a number of row or column k hands it out, and begins anew with 0.
    if (y == inside) {
      ${rows
        .map(
          (p) => `${p > 0 ? 'else ' : ''}if (block == ${p}u) {
        ${range(p)
          .map((q) => `line[turn + ${SIDE * q}u + x] = a${p}_${q}; a${p}_${q} = 0.0;`)
          .join('\n        ')}
        if (x <= inside) { line[turn + ${SIDE * p}u + x] = a${p}_${p}; a${p}_${p} = 0.0; }
      }`,
        )
        .join('\n      ')}
    }
    if (x == inside) {
      ${rows
        .map(
          (q) => `${q > 0 ? 'else ' : ''}if (block == ${q}u) {
        if (y > inside) { line[turn + ${SIDE * q}u + y] = a${q}_${q}; a${q}_${q} = 0.0; }
        ${range(last - q)
          .map((i) => q + 1 + i)
          .map((p) => `line[turn + ${SIDE * p}u + y] = a${p}_${q}; a${p}_${q} = 0.0;`)
          .join('\n        ')}
      }`,
        )
        .join('\n      ')}
    }
    workgroupBarrier();
    // A pivot that rounding has eaten up is what the jitter makes it.
    let pivot = inverseSqrt(max(line[turn + k] + unit, unit));
    ${rows
      .map(
        (p) => `let i${p} = ${SIDE * p}u + y;
    let r${p} = pivot * select(select(line[turn + i${p}], 1.0, i${p} == k), -line[turn + i${p}], i${p} > k);
    let j${p} = ${SIDE * p}u + x;
    let c${p} = pivot * select(line[turn + j${p}], 1.0, j${p} == k);`,
      )
      .join('\n    ')}
    ${pairs.map(([p, q]) => `a${p}_${q} = fma(r${p}, c${q}, a${p}_${q});`).join('\n    ')}
  }
  ${pairs.map(([p, q]) => `put(${SIDE * p}u + y, ${SIDE * q}u + x, a${p}_${q});`).join('\n  ')}
}

/** A number of a slice; 0 beyond the matrix. */
fn entry(s: u32, i: u32, j: u32) -> f32 {
  let at = (s * 4u * params.W4 + min(i, params.H - 1u)) * params.W4 + (min(j, params.H - 1u) >> 2u);
  return select(0.0, slices[at][j & 3u], i < params.H && j < params.H);
}

fn put(i: u32, j: u32, value: f32) {
  if (i >= params.H || j > i) { return; }
  inverse[i * params.H + j] = value;
  inverse[j * params.H + i] = value;
}
`;
}

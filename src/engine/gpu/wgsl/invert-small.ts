import { range } from './text.ts';

/** Units of the largest matrix whose inverse is made in registers. */
export const MOST_SMALL_UNITS = 128;
/** Threads along a side of the matrix. */
export const SIDE = 16;

/**
 * The inverse of a symmetric positive definite matrix given by slices of a Gram matrix, raised by a ridge and
 * a trace of jitter, by one workgroup, in place. Step k finishes row k of X, the inverse of Cholesky's factor
 * L, and with it column k of L. Rows below go on to what is left of matrix and X; rows up to k go on to the
 * sum of outer products of rows of X, which is X^T X in the end: positive definite however badly conditioned
 * the matrix was. Each thread has one of 16 x 16 numbers in registers, of all `blocks` x `blocks` squares up
 * to the diagonal. Two steps are taken at a time, with one barrier: waiting is what takes the time. Blocks
 * are written out one after the other, so that only the block of k itself asks which side of k it is on.
 */
export function invertSmallProgram(blocks: number): string {
  const rows = range(blocks);
  const pairs = rows.flatMap((p) => range(p + 1).map((q) => [p, q] as const));
  return /* wgsl */ `
// What rows and columns k and k + 1 hold before step k, of two pairs of steps in turns; before the first step
// the diagonal.
var<workgroup> line: array<f32, ${2 * SIDE * blocks}>;
var<workgroup> next: array<f32, ${2 * SIDE * blocks}>;

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
  ${rows.map((block) => stepsOf(block, blocks)).join('\n  ')}
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

/**
 * The steps k of a block, two at a time. With A and B what rows and columns k and k + 1 hold, step k leaves
 * of B what is B - s A, where s = A[k + 1] / A[k]; step k + 1 takes that for its line. Rows beyond the matrix
 * are 0 and change nothing.
 */
function stepsOf(block: number, blocks: number): string {
  const rows = range(blocks);
  const own = SIDE * block;
  return /* wgsl */ `for (var inside = 0u; inside < ${SIDE}u && ${own}u + inside < H; inside += 2u) {
    let turn = ((inside >> 1u) & 1u) * ${SIDE * blocks}u;
    let k = ${own}u + inside;
    // Whoever has a number of these rows or columns hands it out, and begins anew with 0.
    ${handOut(block, blocks, 'line', 'inside')}
    ${handOut(block, blocks, 'next', 'inside + 1u')}
    workgroupBarrier();
    // A pivot that rounding has eaten up is what the jitter makes it.
    let pivot = inverseSqrt(max(line[turn + k] + unit, unit));
    let across = line[turn + k + 1u];
    let s = pivot * pivot * across;
    let later = inverseSqrt(max(next[turn + k + 1u] - s * across + unit, unit));
    ${rows
      .map((p) => [numbersAt(p, block, 'r', 'y'), numbersAt(p, block, 'c', 'x')].join('\n    '))
      .join('\n    ')}
    ${rows
      .flatMap((p) =>
        range(p + 1).map((q) => `a${p}_${q} = fma(r${p}, c${q}, fma(rr${p}, cc${q}, a${p}_${q}));`),
      )
      .join('\n    ')}
  }`;
}

/**
 * Row and column `own` of the block into a line. The number where rows k and k + 1 cross is in line k alone.
 */
function handOut(block: number, blocks: number, line: string, own: string): string {
  const to = (p: number, at: string) => `${line}[turn + ${SIDE * p}u + ${at}]`;
  const below = range(blocks - 1 - block).map((i) => block + 1 + i);
  const self = `a${block}_${block}`;
  return /* wgsl */ `if (y == ${own}) {
      ${range(block)
        .map((q) => `${to(q, 'x')} = a${block}_${q}; a${block}_${q} = 0.0;`)
        .join('\n      ')}
      if (x <= y) { ${to(block, 'x')} = ${self}; ${self} = 0.0; }
    }
    if (x == ${own}) {
      if (y > x) { ${to(block, 'y')} = ${self}; ${self} = 0.0; }
      ${below.map((p) => `${to(p, 'y')} = a${p}_${block}; a${p}_${block} = 0.0;`).join('\n      ')}
    }`;
}

/**
 * What a thread multiplies in square p: by rows (r, at y) or by columns (c, at x), for step k and, twice the
 * letter, for step k + 1. Rows below k count with the other sign; those of k + 1 are left to step k + 1.
 */
function numbersAt(p: number, block: number, name: 'r' | 'c', at: 'x' | 'y'): string {
  const place = `turn + ${SIDE * p}u + ${at}`;
  const sign = (below: string, value: string) =>
    name === 'c' ? value : `select(${value}, -${value}, ${below})`;
  const i = `i${name}${p}`;
  const A = `A${name}${p}`;
  const B = `B${name}${p}`;
  if (p !== block) {
    const minus = name === 'r' && p > block ? '-' : '';
    return `let ${A} = line[${place}];
    let ${name}${p} = ${minus}pivot * ${A};
    let ${name}${name}${p} = ${minus}later * fma(-s, ${A}, next[${place}]);`;
  }
  return `let ${i} = ${SIDE * p}u + ${at};
    let ${A} = select(line[${place}], 1.0, ${i} == k);
    let ${B} = fma(-s, ${A}, select(next[${place}], 0.0, ${i} == k));
    let ${name}${p} = select(pivot * ${sign(`${i} > k`, A)}, 0.0, ${i} == k + 1u);
    let ${name}${name}${p} = later * select(${sign(`${i} > k + 1u`, B)}, 1.0, ${i} == k + 1u);`;
}

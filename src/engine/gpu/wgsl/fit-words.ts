/**
 * The words that fit codes best: for each number v of the vectors, (F F^T + ridge) c_v = F x_v, where column
 * i of F has a one for each word that code i names. F F^T counts words that were chosen together. Counts are
 * whole numbers, so that it does not matter who adds them first.
 */

/** Words of two half bytes that were chosen together: a workgroup for each pair of half bytes. */
export function countProgram(): string {
  return /* wgsl */ `
var<workgroup> counts: array<atomic<u32>, 256>;

@compute @workgroup_size(256) fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3u) {
  let m = group.x;
  let j = group.y;
  if (j > m) { return; }
  for (var i = t; i < params.n; i += 256u) {
    atomicAdd(&counts[16u * word(i, m) + word(i, j)], 1u);
  }
  workgroupBarrier();
  let count = f32(atomicLoad(&counts[t]));
  let a = 16u * m + (t >> 4u);
  let b = 16u * j + (t & 15u);
  together[a * params.K + b] = count;
  together[b * params.K + a] = count;
}
${WORD}`;
}

/** The word that half byte m of code i names. */
const WORD = /* wgsl */ `
fn word(i: u32, m: u32) -> u32 {
  return (codes[i * params.packed + (m >> 3u)] >> (4u * (m & 7u))) & 15u;
}
`;

/** The sums of vectors by the words of a half byte, for a slice of the rows and ${'`SUMMED`'} of their numbers, one a thread. */
export function sumProgram(): string {
  return /* wgsl */ `
var<workgroup> sums: array<f32, ${16 * SUMMED}>;

@compute @workgroup_size(${SUMMED}) fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3u) {
  let m = group.x;
  let slot = group.y % params.slots;
  let v = ${SUMMED}u * (group.y / params.slots) + t;
  if (v >= params.V) { return; }
  for (var w = 0u; w < 16u; w++) { sums[${SUMMED}u * w + t] = 0.0; }
  for (var i = slot * params.rows; i < min(params.n, (slot + 1u) * params.rows); i++) {
    sums[${SUMMED}u * word(i, m) + t] += vectors[i * params.V + v];
  }
  for (var w = 0u; w < 16u; w++) {
    slices[(slot * params.K + 16u * m + w) * params.V + v] = sums[${SUMMED}u * w + t];
  }
}
${WORD}`;
}

export const SUMMED = 128;

/** Slices are added up in their order. */
export const ADDED = /* wgsl */ `
  var sum = 0.0;
  for (var s = 0u; s < params.slots; s++) { sum += slices[s * params.tasks + i]; }
  sums[i] = sum;`;

/**
 * A workgroup solves the equations of one number of the vectors by conjugate gradients, scaled by the
 * diagonal. It begins at 0, so that a half byte's words do not all move together, which only the ridge
 * resists; a thread looks after \`each\` words.
 */
export function solveProgram(each: number): string {
  return /* wgsl */ `
const T = 256u;
const EACH = ${each}u;
var<workgroup> direction: array<f32, ${256 * each}>;
var<workgroup> parts: array<f32, T>;
var<private> t: u32;

@compute @workgroup_size(T) fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  t = local;
  let v = group.y * groups.x + group.x;
  if (v >= params.V) { return; }
  var found = array<f32, EACH>();
  var rest = array<f32, EACH>();
  var scale = array<f32, EACH>();
  var own = 0.0;
  for (var e = 0u; e < EACH; e++) {
    let k = T * e + t;
    direction[k] = 0.0;
    if (k < params.K) {
      rest[e] = sums[k * params.V + v];
      scale[e] = 1.0 / (together[k * params.K + k] + params.ridge);
      direction[k] = scale[e] * rest[e];
      own = fma(rest[e], direction[k], own);
    }
  }
  var size = addUp(own);
  let enough = ${ENOUGH} * size;
  for (var step = 0u; step < ${MOST_STEPS}u; step++) {
    if (size <= enough) { break; }
    var along = array<f32, EACH>();
    own = 0.0;
    for (var e = 0u; e < EACH; e++) {
      let k = T * e + t;
      if (k >= params.K) { continue; }
      // The matrix is symmetric: its columns are rows, and neighbours read neighbours.
      var sum = params.ridge * direction[k];
      for (var j = 0u; j < params.K; j++) { sum = fma(together[j * params.K + k], direction[j], sum); }
      along[e] = sum;
      own = fma(sum, direction[k], own);
    }
    let length = size / addUp(own);
    own = 0.0;
    for (var e = 0u; e < EACH; e++) {
      found[e] = fma(length, direction[T * e + t], found[e]);
      rest[e] = fma(-length, along[e], rest[e]);
      own = fma(scale[e] * rest[e], rest[e], own);
    }
    let next = addUp(own);
    for (var e = 0u; e < EACH; e++) {
      direction[T * e + t] = fma(next / size, direction[T * e + t], scale[e] * rest[e]);
    }
    size = next;
    workgroupBarrier();
  }
  for (var e = 0u; e < EACH; e++) {
    let k = T * e + t;
    if (k < params.K) { words[k * params.V + v] = found[e]; }
  }
}

/** The sum of the threads' numbers, in a fixed order. Everything that was written before is seen after it. */
fn addUp(number: f32) -> f32 {
  workgroupBarrier();
  parts[t] = number;
  for (var half = T / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (t < half) { parts[t] += parts[t + half]; }
  }
  return workgroupUniformLoad(&parts[0]);
}
`;
}

/** Where the steps end: by the squared residual in the diagonal's scale, relative to where they began. */
const ENOUGH = 1e-12;
const MOST_STEPS = 256;

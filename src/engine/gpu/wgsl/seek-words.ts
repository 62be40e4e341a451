/**
 * Codes of vectors, as in src/kernels/search/assign.ts: each half byte in turn takes the best of its 16
 * words, the others given; sweeps of annealing draw words at a temperature that falls to 0, and it descends
 * again. What a word costs,
 *
 *     |c|^2 - 2 x . c + sum over the other half bytes' words d of 2 c . d,
 *
 * is added up whenever it is needed. One draw in six changes a word: keeping the costs of all words up to
 * date would take a third of the reading, but so much of a workgroup's memory that most threads of a card
 * would stand idle. Four threads (a squad) look after a vector, each after four words of every half byte. All
 * of them keep the whole code, so that one barrier a draw is enough.
 */
export function seekProgram(halves: number): string {
  const packed = Math.ceil(halves / 8);
  return /* wgsl */ `
const HALVES = ${halves}u;
const PACKED = ${packed}u;
/** Groups of four words. */
const K4 = 4u * HALVES;
const T = ${4 * SQUADS}u;
var<workgroup> offers: array<vec2f, 2u * T>;
var<workgroup> again: u32;

alias Code = array<u32, PACKED>;
var<private> code: Code;
var<private> t: u32;
var<private> row: u32;
var<private> turn: u32;

@compute @workgroup_size(T) fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  t = local;
  turn = 0u;
  let own = (group.y * groups.x + group.x) * ${SQUADS}u + (t >> 2u);
  let counted = params.start + own < params.end;
  // Squads without a vector come along to the barriers with the last one.
  row = min(own, params.end - params.start - 1u);
  let at = (params.start + row) * PACKED;
  for (var p = 0u; p < PACKED; p++) { code[p] = codes[at + p]; }
  descend();
  var best = cost();
  var kept = code;
  // The same numbers for all vectors: a code depends on the vector, the words and the seed, not on where it
  // stands.
  var state = (params.seed * 2654435761u) ^ 0x9e3779b9u;
  let cooling = params.hot / f32(max(1u, params.sweeps));
  for (var n = 0u; n < params.tries; n++) {
    var temperature = params.hot;
    for (var sweep = 0u; sweep < params.sweeps; sweep++) {
      for (var m = 0u; m < HALVES; m++) {
        state ^= state << 13u;
        state ^= state >> 17u;
        state ^= state << 5u;
        let random = ((state >> 8u) & 4095u) + 4u * (t & 3u);
        let drawn = vec4f(noise[random], noise[random + 1u], noise[random + 2u], noise[random + 3u]);
        put(m, least(costs(m) - temperature * drawn));
      }
      temperature -= cooling;
    }
    descend();
    let reached = cost();
    if (reached < best) {
      best = reached;
      kept = code;
    }
  }
  if (counted && (t & 3u) == 0u) {
    for (var p = 0u; p < PACKED; p++) { codes[at + p] = kept[p]; }
    errors[params.start + row] = best;
  }
}

fn word(m: u32) -> u32 {
  return (code[m >> 3u] >> (4u * (m & 7u))) & 15u;
}

fn put(m: u32, w: u32) {
  code[m >> 3u] = insertBits(code[m >> 3u], w, 4u * (m & 7u), 4u);
}

/** What the thread's four words of half byte m cost, the others given. */
fn costs(m: u32) -> vec4f {
  let k4 = 4u * m + (t & 3u);
  var sum = -products[row * K4 + k4];
  for (var p = 0u; p < PACKED; p++) {
    let eight = code[p];
    for (var j = 8u * p; j < min(HALVES, 8u * p + 8u); j++) {
      let other = 16u * j + ((eight >> (4u * (j & 7u))) & 15u);
      sum += select(pairs[other * K4 + k4], vec4f(0.0), j == m);
    }
  }
  return lengths[k4] + 2.0 * sum;
}

/** The place of the least of the squad's 16 numbers, the first of equals. */
fn least(four: vec4f) -> u32 {
  var mine = vec2f(four.x, 0.0);
  if (four.y < mine.x) { mine = vec2f(four.y, 1.0); }
  if (four.z < mine.x) { mine = vec2f(four.z, 2.0); }
  if (four.w < mine.x) { mine = vec2f(four.w, 3.0); }
  let first = share(mine + vec2f(0.0, 4.0 * f32(t & 3u)));
  var best = offers[first];
  for (var i = 1u; i < 4u; i++) {
    let other = offers[first + i];
    if (other.x < best.x) { best = other; }
  }
  return u32(best.y);
}

/**
 * Shows a pair of numbers to the squad: where its four are. Two places take turns, so that one barrier is
 * enough.
 */
fn share(mine: vec2f) -> u32 {
  turn = T - turn;
  offers[turn + t] = mine;
  workgroupBarrier();
  return turn + (t & ~3u);
}

/** Every half byte takes its best word in turn until none changes, in any of the workgroup's codes. */
fn descend() {
  // A code settles after a few sweeps; rounding could make two words change places for ever.
  for (var sweep = 0u; sweep < ${MOST_SWEEPS}u; sweep++) {
    var changed = false;
    for (var m = 0u; m < HALVES; m++) {
      let w = least(costs(m));
      changed = changed || w != word(m);
      put(m, w);
    }
    if (t == 0u) { again = 0u; }
    workgroupBarrier();
    if (changed) { again = 1u; }
    if (workgroupUniformLoad(&again) == 0u) { break; }
  }
}

/**
 * What the code costs: each thread of the squad adds up some half bytes, and the sums are added in their
 * order.
 */
fn cost() -> f32 {
  var sum = 0.0;
  for (var m = t & 3u; m < HALVES; m += 4u) {
    let k = 16u * m + word(m);
    var half = 0.5 * lengths[k >> 2u][k & 3u] - products[row * K4 + (k >> 2u)][k & 3u];
    for (var j = 0u; j < m; j++) {
      half += pairs[(16u * j + word(j)) * K4 + (k >> 2u)][k & 3u];
    }
    sum += half;
  }
  let first = share(vec2f(sum, 0.0));
  return 2.0 * (offers[first].x + offers[first + 1u].x + offers[first + 2u].x + offers[first + 3u].x);
}
`;
}

/** Vectors of a workgroup: one warp's, whose barriers cost little. */
export const SQUADS = 8;
const MOST_SWEEPS = 16;

/** out = rows words^T, a tile of 64 x 64 numbers for each workgroup, and of 4 x 4 for each thread. */
export function productsProgram(): string {
  return /* wgsl */ `
var<workgroup> left: array<vec4f, 256>;
var<workgroup> right: array<vec4f, 256>;

@compute @workgroup_size(256) fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3u) {
  let depth = t & 15u;
  let four = t >> 4u;
  let row = ${TILE}u * group.x;
  let k = ${TILE}u * group.y;
  var a0 = vec4f(0.0);
  var a1 = vec4f(0.0);
  var a2 = vec4f(0.0);
  var a3 = vec4f(0.0);
  for (var v = 0u; v < params.V; v += 16u) {
    left[16u * depth + four] = vec4f(
      rowAt(row + 4u * four, v + depth), rowAt(row + 4u * four + 1u, v + depth),
      rowAt(row + 4u * four + 2u, v + depth), rowAt(row + 4u * four + 3u, v + depth),
    );
    right[16u * depth + four] = vec4f(
      wordAt(k + 4u * four, v + depth), wordAt(k + 4u * four + 1u, v + depth),
      wordAt(k + 4u * four + 2u, v + depth), wordAt(k + 4u * four + 3u, v + depth),
    );
    workgroupBarrier();
    for (var d = 0u; d < 16u; d++) {
      let x = left[16u * d + four];
      let c = right[16u * d + depth];
      a0 = fma(vec4f(x.x), c, a0);
      a1 = fma(vec4f(x.y), c, a1);
      a2 = fma(vec4f(x.z), c, a2);
      a3 = fma(vec4f(x.w), c, a3);
    }
    workgroupBarrier();
  }
  let k4 = (k >> 2u) + depth;
  if (4u * k4 >= params.K) { return; }
  let at = row + 4u * four;
  if (at < params.count) { out[at * (params.K >> 2u) + k4] = a0; }
  if (at + 1u < params.count) { out[(at + 1u) * (params.K >> 2u) + k4] = a1; }
  if (at + 2u < params.count) { out[(at + 2u) * (params.K >> 2u) + k4] = a2; }
  if (at + 3u < params.count) { out[(at + 3u) * (params.K >> 2u) + k4] = a3; }
}

fn rowAt(i: u32, v: u32) -> f32 {
  if (i >= params.count || v >= params.V) { return 0.0; }
  return rows[(params.start + i) * params.V + v];
}

fn wordAt(k: u32, v: u32) -> f32 {
  if (k >= params.K || v >= params.V) { return 0.0; }
  return words[k * params.V + v];
}
`;
}

export const TILE = 64;

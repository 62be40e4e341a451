import type { PanelSpec } from '../panel.ts';
import { range } from './text.ts';

/** Sums over the vectors that threads put into `room`. */
export function collectFunction({ unrolled }: Pick<PanelSpec, 'unrolled'>): string {
  const flights = unrolled ? [4, 1] : [1];
  const add = (count: number) =>
    range(count)
      .map((f) => `sum = joined(sum, next${f}, maximal);`)
      .join(' ');
  return /* wgsl */ `
fn joined(sum: vec4f, next: vec4f, maximal: bool) -> vec4f {
  return select(sum + next, max(sum, next), maximal);
}

/**
 * sums[to + row] = the sum of length vectors of room, from row biggest on the largest; in two stages, in
 * their order.
 */
fn collect(rows: u32, length: u32, biggest: u32, to: u32) {
  workgroupBarrier();
  let row = t >> 4u;
  if (row < rows) {
    let begin = row * length;
    let maximal = row >= biggest;
    var sum = room[begin + min(t & 15u, length - 1u)];
    if ((t & 15u) >= length) { sum = vec4f(0.0); }
    var i = (t & 15u) + 16u;
    ${flights
      .map(
        (flight) => `for (; i + ${16 * (flight - 1)}u < length; i += ${16 * flight}u) {
      ${range(flight)
        .map((f) => `let next${f} = room[begin + i + ${16 * f}u];`)
        .join('\n      ')}
      ${add(flight)}
    }`,
      )
      .join('\n    ')}
    // Neighbouring threads read neighbouring places below: others would wait for one another.
    stage[8u * (t & 15u) + row] = sum;
  }
  workgroupBarrier();
  if (t < rows) {
    let maximal = t >= biggest;
    var sum = stage[t];
    ${
      unrolled
        ? `${range(15)
            .map((f) => `let next${f} = stage[${8 * (f + 1)}u + t];`)
            .join('\n    ')}
    ${add(15)}`
        : `for (var i = 1u; i < 16u; i++) {
      let next0 = stage[8u * i + t];
      ${add(1)}
    }`
    }
    sums[to + t] = sum;
  }
  workgroupBarrier();
}`;
}

/** What lanes tell all threads: a number each, and whether any of them says so. */
export const LANES = /* wgsl */ `
var<workgroup> factors: array<f32, R>;
var<workgroup> again: u32;

fn lanesOf(values: ptr<workgroup, array<f32, R>>, q: u32) -> vec4f {
  return vec4f((*values)[4u * q], (*values)[4u * q + 1u], (*values)[4u * q + 2u], (*values)[4u * q + 3u]);
}

/** Whether any lane's thread says so. */
fn anyLane(says: bool) -> bool {
  if (t == 0u) { again = 0u; }
  workgroupBarrier();
  if (says) { again = 1u; }
  return workgroupUniformLoad(&again) == 1u;
}
`;

/**
 * `body` for each lane `l`: written out for hardware, a loop where a processor would have to compile it all.
 */
export function each({ R, unrolled }: Pick<PanelSpec, 'R' | 'unrolled'>, body: string): string {
  if (!unrolled) return `for (var l = 0u; l < R; l++) {\n      ${body}\n    }`;
  return range(R)
    .map((l) => `{\n      const l = ${l}u;\n      ${body}\n    }`)
    .join('\n    ');
}

/**
 * Each thread's numbers of the lanes, added up (then, of others, the largest): sums[0] and after hold those
 * of the first name, four lanes a vector, then those of the next. As many names at a time as `room` has rows
 * for: whatever lies beyond it is lost.
 */
export function collectLanes(
  { R, T, room }: Pick<PanelSpec, 'R' | 'T' | 'room'>,
  added: readonly string[],
  largest: readonly string[] = [],
): string {
  const RV = R / 4;
  const names = [...added, ...largest];
  const most = Math.floor(room / (T * RV));
  const turns = range(Math.ceil(names.length / most)).map((turn) => {
    const now = names.slice(turn * most, (turn + 1) * most);
    const rows = now.flatMap((name, k) =>
      range(RV).map((q) => {
        const four = range(4).map((i) => `${name}[${4 * q + i}]`);
        return `room[${k * RV + q}u * T + t] = vec4f(${four.join(', ')});`;
      }),
    );
    const biggest = Math.max(0, added.length - turn * most) * RV;
    return `${rows.join('\n  ')}\n  collect(${now.length * RV}u, T, ${biggest}u, ${turn * most * RV}u);`;
  });
  return turns.join('\n  ');
}

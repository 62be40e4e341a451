import type { Fields } from '../params.ts';
import { inverseSteps } from './invert.ts';

/**
 * The inverse of each row's Hessian, one workgroup per row. Scales bring the diagonal near 1, so that units of very different
 * sizes do not hide one another. A coordinate on a bound stands alone: what it would do does not bend the others' way.
 */
export function inversesProgram(T: number, room: number): string {
  return /* wgsl */ `
const T = ${T}u;
var<workgroup> triangle: array<f32, ${room}>;
var<workgroup> inverted: array<f32, ${room}>;
var<workgroup> column: array<f32, 256>;
var<workgroup> scales: array<f32, 256>;
var<workgroup> pivot: f32;

fn place(i: u32, j: u32) -> u32 {
  return i * (i + 1u) / 2u + j;
}

@compute @workgroup_size(T) fn main(
  @builtin(local_invocation_index) t: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let row = group.y * groups.x + group.x;
  if (params.start + row >= params.end) { return; }
  let H = params.free;
  let unit = params.jitter;
  let begin = row * 4u * params.P4;
  let code = (params.codesAt + params.start + row) * params.width;
  for (var h = t; h < H; h += T) {
    let d = squares[begin + place(h, h)];
    scales[h] = select(1.0, inverseSqrt(max(d, 1e-30)), d > 0.0);
    // A scale below 0 marks a bound.
    if (abs(codes[code + h]) >= 0.999999 * params.radius) { scales[h] = -scales[h]; }
  }
  workgroupBarrier();
  for (var e = t; e < H * H; e += T) {
    let i = e / H;
    let j = e % H;
    if (j > i) { continue; }
    let alone = scales[i] < 0.0 || scales[j] < 0.0;
    triangle[place(i, j)] = select(select(squares[begin + place(i, j)] * scales[i] * scales[j], 0.0, alone), 1.0, i == j);
  }
  workgroupBarrier();
  ${inverseSteps({
    at: 'triangle',
    lower: (k, j) => `inverted[place(${k}, ${j})]`,
    barrier: 'workgroupBarrier();',
    put: (sum) => `let all = ${sum} * abs(scales[i] * scales[j]);
    inverse[row * H * H + i * H + j] = all;
    inverse[row * H * H + j * H + i] = all;`,
  })}
}
`;
}

export const inversesFields = {
  ...{ start: 'u32', end: 'u32', free: 'u32', P4: 'u32', codesAt: 'u32', width: 'u32' },
  ...{ radius: 'f32', jitter: 'f32' },
} as const satisfies Fields;

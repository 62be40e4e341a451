import type { Fields } from '../params.ts';
import { FACTOR, factorSteps, productSteps } from './invert.ts';

/**
 * Of each row's Hessian the inverse, or the inverse X of its Cholesky factor; one workgroup per row. Scales bring the diagonal near
 * 1, so that units of very different sizes do not hide one another.
 *
 * - 'inverse': dense. A coordinate on a bound stands alone: what it would do does not bend the others' way.
 * - 'factor': X by columns, four numbers of a column together, then the scales.
 */
export function inversesProgram(of: 'inverse' | 'factor', T: number, room: number): string {
  const alone = of === 'inverse' ? 'scales[i] < 0.0 || scales[j] < 0.0' : 'false';
  return /* wgsl */ `
const T = ${T}u;
var<workgroup> triangle: array<f32, ${room}>;
var<workgroup> scales: array<f32, 256>;

@compute @workgroup_size(T) fn main(
  @builtin(local_invocation_index) t: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let row = group.y * groups.x + group.x;
  if (params.start + row >= params.end || settled[row] != 0.0) { return; }
  let H = params.free;
  let unit = params.jitter;
  let begin = row * 4u * params.P4;
  for (var h = t; h < H; h += T) {
    let d = squares[begin + place(h, h)];
    scales[h] = select(1.0, inverseSqrt(max(d, 1e-30)), d > 0.0);
    ${
      of === 'inverse'
        ? `// A scale below 0 marks a bound.
    let z = codes[(params.codesAt + params.start + row) * params.width + h];
    if (abs(z) >= 0.999999 * params.radius) { scales[h] = -scales[h]; }`
        : ''
    }
  }
  workgroupBarrier();
  for (var e = t; e < H * H; e += T) {
    let i = e / H;
    let j = e % H;
    if (j > i) { continue; }
    let alone = ${alone};
    triangle[place(i, j)] = select(select(squares[begin + place(i, j)] * scales[i] * scales[j], 0.0, alone), 1.0, i == j);
  }
  workgroupBarrier();
  ${factorSteps('triangle')}
  ${
    of === 'inverse'
      ? productSteps(
          'triangle',
          (sum) => `let all = ${sum} * abs(scales[i] * scales[j]);
    inverse[row * H * H + i * H + j] = all;
    inverse[row * H * H + j * H + i] = all;`,
        )
      : `let pitch = 4u * ((H + 3u) / 4u);
  for (var e = t; e < (H + 1u) * pitch; e += T) {
    let i = e % pitch;
    let j = e / pitch;
    var x = 0.0;
    if (i < H && j <= i) { x = triangle[place(i, j)] * scales[j]; }
    if (i < H && j == H) { x = scales[i]; }
    inverse[row * (H + 1u) * pitch + e] = x;
  }`
  }
}
${FACTOR}
`;
}

export const inversesFields = {
  ...{ start: 'u32', end: 'u32', free: 'u32', P4: 'u32', codesAt: 'u32', width: 'u32' },
  ...{ radius: 'f32', jitter: 'f32' },
} as const satisfies Fields;

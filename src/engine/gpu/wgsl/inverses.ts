import type { Fields } from '../params.ts';
import { FACTOR, factorSteps, productSteps } from './invert.ts';

/** What is made of Hessians. */
export type InverseOf = 'inverse' | 'step' | 'factor';

/**
 * Of each row's Hessian and ridge the inverse, or the inverse X of their Cholesky factor; one workgroup per
 * row. Scales bring the diagonal near 1, so that units of very different sizes do not hide one another.
 *
 * - 'inverse': dense. A coordinate on a bound stands alone: what it would do does not bend the others' way.
 * - 'step': dense, and 0 for a coordinate along which nothing bends.
 * - 'factor': X by columns, four numbers of a column together, then the scales.
 */
export function inversesProgram(of: InverseOf, T: number, room: number): string {
  const alone = of === 'inverse' ? 'scales[i] < 0.0 || scales[j] < 0.0' : 'false';
  const [little, flat] = of === 'step' ? ['1e-30', '0.0'] : ['0.0', '1.0'];
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
    let d = squareAt(begin + place(h, h)) + select(0.0, params.ridge, h < params.ridged);
    scales[h] = select(${flat}, inverseSqrt(max(d, 1e-30)), d > ${little});
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
    triangle[place(i, j)] = select(select(squareAt(begin + place(i, j)) * scales[i] * scales[j], 0.0, alone), 1.0, i == j);
  }
  workgroupBarrier();
  ${factorSteps('triangle')}
  ${
    of !== 'factor'
      ? productSteps(
          'triangle',
          (sum) => `let all = ${sum} * abs(scales[i] * scales[j]);
    inverse[row * H * H + i * H + j] = all;
    inverse[row * H * H + j * H + i] = all;`,
        )
      : /* wgsl */ `let pitch = 4u * ((H + 3u) / 4u);
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

fn squareAt(at: u32) -> f32 {
  var sum = 0.0;
  for (var s = 0u; s < params.slots; s++) { sum += squares[4u * s * (params.end - params.start) * params.P4 + at]; }
  return sum;
}
${FACTOR}
`;
}

export const inversesFields = {
  start: 'u32',
  end: 'u32',
  free: 'u32',
  P4: 'u32',
  codesAt: 'u32',
  width: 'u32',
  radius: 'f32',
  jitter: 'f32',
  slots: 'u32',
  ridge: 'f32',
  ridged: 'u32',
} as const satisfies Fields;

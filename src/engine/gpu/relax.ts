import type { Point } from '../engine.ts';
import { LEAST_CURVATURE, SPREAD_ROWS } from '../expected-loss.ts';
import type { RelaxOptions } from '../true-bits.ts';
import type { Kernel } from './dispatcher.ts';
import { EACH, gridFor } from './grid.ts';
import { checkTemperature, MEAN_FIELD_VECTORS, meanField } from './meanfield.ts';
import { ResidualSums } from './outer.ts';
import { openPanel } from './panel.ts';
import { type Tools, touch } from './tools.ts';

/**
 * `Engine.relax`, of which nothing is read back (see `expected-loss.ts` for the same on the processor): what
 * units bend and how undecided they are, the steps, sums at the means, the running curvatures, and what the
 * bends add to the gradient.
 */
export function relax(tools: Tools, at: Point, options: RelaxOptions): void {
  const panel = openPanel(tools, 'codes', at, MEAN_FIELD_VECTORS);
  const { V, free, width, start, end, items, moved, bound, values } = panel;
  const { steps, gradient } = options;
  if (!(steps >= 1)) throw new Error(`engine: relax makes at least one step, got ${steps}`);
  checkTemperature(options.temperature);
  const W = tools.use(at.W, 'the numbers of W', V * width);
  const bends = tools.running(options.bends, V);
  const slopes = tools.use(gradient, 'the sums', V * width);
  const losses = options.losses && tools.use(options.losses, 'losses', items);
  const count = end - start;
  const units = tools.room('curvatures of units, and how undecided they are', 8 * free);
  tools.dispatcher.run(
    looking,
    free,
    { bends: bends.slab, W: W.slab, a: bound.codes, units },
    { V, H: free, width, rows: Math.min(SPREAD_ROWS, count), first: values.codesAt + start },
  );
  const means = { slab: tools.room('means', 4 * count * width), at: -start };
  const sums = new ResidualSums(tools, panel, at.rowWeights, means);
  meanField(tools, panel, {
    parameters: { slab: moved.slab, at: values.codesAt },
    curvatures: units,
    losses,
    sums,
    steps,
    hot: options.temperature,
    cooling: 1,
    damping: options.damping,
    means: { ...means, leastCurvature: LEAST_CURVATURE },
  });
  const curvature = tools.kept('sums of curvatures', V);
  sums.end({ gradient, curvature, running: { means: options.bends, share: options.follow } });
  tools.dispatcher.run(
    bending,
    gridFor(V * width),
    { bends: bends.slab, W: W.slab, units, gradient: slopes.slab },
    { tasks: V * width, width, H: free, count },
  );
  touch(moved, losses, slopes);
}

/**
 * c_h = sum_v D_v W_vh^2, and the mean of 1 - tanh(a)^2 over some rows: a workgroup for each unit, sums in a
 * fixed order.
 */
const looking = {
  key: 'look at units of bits',
  fields: { V: 'u32', H: 'u32', width: 'u32', rows: 'u32', first: 'u32' },
  buffers: { bends: 'read f32', W: 'read f32', a: 'read f32', units: 'write f32' },
  code: () => /* wgsl */ `
var<workgroup> parts: array<vec2f, 128>;
@compute @workgroup_size(128) fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3u) {
  let h = group.x;
  var sum = vec2f(0.0);
  for (var v = t; v < params.V; v += 128u) {
    let w = W[v * params.width + h];
    sum.x += bends[v] * w * w;
  }
  for (var i = t; i < params.rows; i += 128u) {
    let q = exp(-2.0 * abs(a[(params.first + i) * params.width + h]));
    let s = 1.0 / (1.0 + q);
    sum.y += 4.0 * q * s * s;
  }
  parts[t] = sum;
  for (var half = 64u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (t < half) { parts[t] += parts[t + half]; }
  }
  if (t == 0u) {
    units[h] = parts[0].x;
    units[params.H + h] = parts[0].y / f32(params.rows);
  }
}
`,
} as const satisfies Kernel<Record<string, 'u32'>, Record<string, 'read f32' | 'write f32'>>;

/**
 * The expected loss bends with W: its second-order term adds D_v W_vh mean(1 - e_h^2) to the gradient of each
 * row.
 */
const bending = {
  key: 'add bends to a gradient',
  fields: { tasks: 'u32', width: 'u32', H: 'u32', count: 'u32' },
  buffers: { bends: 'read f32', W: 'read f32', units: 'read f32', gradient: 'write f32' },
  code: () =>
    EACH(/* wgsl */ `
  let h = i % params.width;
  if (h < params.H) { gradient[i] += f32(params.count) * bends[i / params.width] * W[i] * units[params.H + h]; }`),
} as const satisfies Kernel<Record<string, 'u32'>, Record<string, 'read f32' | 'write f32'>>;

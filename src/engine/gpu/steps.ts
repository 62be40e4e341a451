import { openAdam } from '../adam.ts';
import type { AdamOptions, Floats, Moments, Running, Shape } from '../engine.ts';
import { widthOf } from '../engine.ts';
import type { Buffers, Kernel, Slab } from './dispatcher.ts';
import { EACH, gridFor } from './grid.ts';
import { gramSlices } from './outer.ts';
import { type Tools, touch } from './tools.ts';
import { invertFields, invertProgram, MOST_UNITS } from './wgsl/invert.ts';
import { invertSmallProgram, MOST_SMALL_UNITS, SIDE } from './wgsl/invert-small.ts';

/**
 * `Engine.adam`. Where the numbers are packed for other kernels, their pack follows them: one dispatch
 * instead of two.
 */
export function adam(
  tools: Tools,
  at: Floats,
  gradient: Floats,
  moments: Moments,
  options: AdamOptions,
): void {
  const { length } = at;
  const { width, free, beta1, beta2, rate, epsilon, scale, ridge } = options;
  const { grow1, grow2 } = openAdam(length, options);
  const z = tools.use(at, 'the numbers to move', length);
  const g = tools.use(gradient, 'the numbers of the gradient', length);
  const first = tools.use(moments.first, 'the first moments', length);
  const second = tools.use(moments.second, 'the second moments', length);
  const prices = options.prices && tools.use(options.prices, 'the prices', length);
  const pack = tools.packs.of(z, width);
  const bound = {
    z: z.slab,
    g: g.slab,
    first: first.slab,
    second: second.slab,
    ...(prices && { prices: prices.slab }),
    ...(pack && { packed: pack.slab }),
  } as Record<string, Slab>;
  tools.dispatcher.run(adamKernel(prices !== undefined, pack !== undefined), gridFor(length), bound, {
    tasks: length,
    width,
    free,
    beta1,
    beta2,
    rate,
    epsilon,
    scale,
    ridge,
    grow1,
    grow2,
    K4: pack?.K4 ?? 0,
    W4: pack?.W4 ?? 0,
  });
  touch(z, first, second);
  pack?.renewed();
}

/** `Engine.precondition`: the Gram matrix by slices, then one workgroup adds them up and inverts. */
export function precondition(
  tools: Tools,
  W: Floats,
  shape: Shape,
  bends: Running,
  ridge: number,
  out: Floats,
): void {
  const { V, H } = shape;
  const width = widthOf(shape);
  const from = tools.use(W, 'the numbers of W', V * width);
  const to = tools.use(out, 'the numbers of the inverse', H * H);
  const { slab, slots, W4 } = gramSlices(tools, from, V, width, tools.running(bends, V));
  const bound = {
    slices: slab,
    work: tools.room('a triangle to factor', 4 * H * H),
    inverse: to.slab,
  };
  tools.dispatcher.run(inverting(tools, H), 1, bound, { H, W4, slots, ridge, jitter: JITTER }, 2 * H ** 3);
  touch(to);
}

/**
 * Relative to the mean of the diagonal: units may be dependent while they learn, and float32 cannot tell
 * less.
 */
const JITTER = 2e-6;

const adamKernel = (priced: boolean, packed: boolean) =>
  ({
    key: `adam ${priced} ${packed}`,
    fields: {
      tasks: 'u32',
      width: 'u32',
      free: 'u32',
      beta1: 'f32',
      beta2: 'f32',
      rate: 'f32',
      epsilon: 'f32',
      scale: 'f32',
      ridge: 'f32',
      grow1: 'f32',
      grow2: 'f32',
      K4: 'u32',
      W4: 'u32',
    },
    buffers: {
      z: 'write f32',
      g: 'read f32',
      first: 'write f32',
      second: 'write f32',
      ...(priced && { prices: 'read f32' }),
      ...(packed && { packed: 'write f32' }),
    } as Buffers,
    code: () =>
      EACH(/* wgsl */ `
  let ridged = select(0.0, params.ridge * z[i], i % params.width < params.free);
  let slope = params.scale * g[i] + ridged;
  let m = params.beta1 * first[i] + (1.0 - params.beta1) * slope;
  let v = params.beta2 * second[i] + (1.0 - params.beta2) * slope * slope;
  first[i] = m;
  second[i] = v;
  let length = params.rate / (sqrt(v * params.grow2) + params.epsilon);
  ${priced ? 'var' : 'let'} moved = z[i] - length * m * params.grow1;
  ${
    priced
      ? `let shrink = length * prices[i];
  moved = max(0.0, moved - shrink) + min(0.0, moved + shrink);`
      : ''
  }
  z[i] = moved;
  ${
    packed
      ? `let k = i / params.width;
  let h = i % params.width;
  packed[4u * h * params.K4 + k] = moved;
  packed[4u * (params.width * params.K4 + k * params.W4) + h] = moved;`
      : ''
  }`),
  }) as const satisfies Kernel<Record<string, 'u32' | 'f32'>, Buffers>;

/**
 * The program for matrices of this size: they are in registers or, a triangle of them, in the workgroup's
 * memory, where they fit.
 */
function inverting(tools: Tools, H: number) {
  if (H > MOST_UNITS) tools.refuse(`preconditioners of ${H} units`);
  const buffers = { slices: 'read vec4f', work: 'write f32', inverse: 'write f32' } as const;
  const { maxComputeWorkgroupStorageSize: bytes, maxComputeInvocationsPerWorkgroup: most } =
    tools.dispatcher.open.limits;
  const needed = 1024 * Math.ceil((H * (H + 1)) / 2 / 1024);
  const room = 4 * needed + COLUMN_BYTES <= bytes ? needed : 0;
  const T = Math.min(most, 1024);
  const blocks = Math.ceil(H / SIDE);
  const small = H <= MOST_SMALL_UNITS;
  return {
    key: small ? `invert small ${blocks}` : `invert ${T} ${room}`,
    fields: invertFields,
    buffers,
    code: () => (small ? invertSmallProgram(blocks) : invertProgram(T, room)),
  } as const satisfies Kernel<typeof invertFields, Buffers>;
}

/** What the program needs beside its triangle: a column, and a number. */
const COLUMN_BYTES = 4 * MOST_UNITS + 16;

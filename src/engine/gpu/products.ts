import { type Block, codesOf, type Floats, type Place, widthOf } from '../engine.ts';
import type { Kernel } from './dispatcher.ts';
import { EACH, gridFor } from './grid.ts';
import { type LossKind, lossKind } from './losses.ts';
import { correlateEntries, gramSlices } from './outer.ts';
import type { Tools } from './tools.ts';
import { lossFunctions } from './wgsl/loss.ts';

/** `Engine.correlate`. */
export function correlate(tools: Tools, given: Block, Y: Floats, width: number, A: Floats): void {
  const block = tools.block(given);
  const factors = tools.use(Y, 'the numbers of Y', block.n * width);
  const shape = { rows: block.n, columns: block.V, width };
  correlateEntries(tools, block, block.entries('codes'), shape, factors, A);
}

/** `Engine.project`: the same, of the columns. */
export function project(tools: Tools, given: Block, A: Floats, width: number, Y: Floats): void {
  const block = tools.block(given);
  const factors = tools.use(A, 'the numbers of A', block.V * width);
  const shape = { rows: block.V, columns: block.n, width };
  correlateEntries(tools, block, block.entries('weights'), shape, factors, Y);
}

/** `Engine.gram`: slices of rows in float32, added up in float64. */
export async function gram(
  tools: Tools,
  A: Floats,
  count: number,
  width: number,
  weights?: Floats,
): Promise<Float64Array> {
  const from = tools.use(A, 'the numbers of A', count * width);
  const rowWeights = weights && tools.use(weights, 'weights', count);
  const { slab, slots, W4 } = gramSlices(tools, from, count, width, rowWeights);
  const each = 16 * W4 * W4;
  const slices = new Float32Array(await tools.dispatcher.read(slab, 0, 4 * slots * each));
  const out = new Float64Array(width * width);
  for (let s = 0; s < slots && count > 0; s++) {
    for (let i = 0; i < width; i++) {
      for (let j = 0; j < width; j++) out[i * width + j] += slices[s * each + 4 * W4 * i + j];
    }
  }
  return out;
}

/** `Engine.decode`, some megabytes at a time. */
export async function decode(tools: Tools, at: Place, what: 'scores' | 'transfer'): Promise<Float32Array> {
  const { shape, offset = 0 } = at;
  const { V } = shape;
  const width = widthOf(shape);
  const { start, end } = codesOf(at);
  const loss = lossKind(at.loss, tools.name);
  const out = new Float32Array((end - start) * V);
  const K4 = Math.ceil(V / 4);
  const rows = Math.max(1, Math.floor(DECODED_BYTES / (16 * K4)));
  for (let first = start; first < end; first += rows) {
    const count = Math.min(rows, end - first);
    const tasks = count * K4;
    // While the last piece was read, an abort may have freed the factors, or other work made memory anew.
    const W = tools.use(at.W, 'the numbers of W', V * width);
    const E = tools.use(at.E, 'the numbers of E', (offset + end) * width);
    const held = tools.packs.provide({ floats: W, first: 0, K: V, width });
    const scores = tools.room('reconstructions', 16 * tasks);
    const bound = { held, codes: E.slab, out: scores };
    const values = { tasks, K4, width, first: offset + first };
    tools.dispatcher.run(decoding(what, loss), gridFor(tasks), bound, values, 8 * tasks * width);
    const read = new Float32Array(await tools.dispatcher.read(scores, 0, 16 * tasks));
    for (let i = 0; i < count; i++) {
      out.set(read.subarray(4 * K4 * i, 4 * K4 * i + V), (first - start + i) * V);
    }
  }
  return out;
}

const DECODED_BYTES = 2 ** 24;

const decoding = (what: 'scores' | 'transfer', loss: LossKind) =>
  ({
    key: `decode ${what} ${loss}`,
    fields: { tasks: 'u32', K4: 'u32', width: 'u32', first: 'u32' },
    buffers: { held: 'read vec4f', codes: 'read f32', out: 'write vec4f' },
    code: () =>
      `${lossFunctions(loss, false)}${EACH(/* wgsl */ `
  let at = (params.first + i / params.K4) * params.width;
  var m = vec4f(0.0);
  for (var h = 0u; h < params.width; h++) {
    m = fma(vec4f(codes[at + h]), held[h * params.K4 + i % params.K4], m);
  }
  out[i] = ${what === 'scores' ? 'm' : 'transfer(m)'};`)}`,
  }) as const satisfies Kernel<
    Record<string, 'u32'>,
    Record<string, 'read vec4f' | 'read f32' | 'write vec4f'>
  >;

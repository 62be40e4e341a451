import { sum } from '../rows/sum.ts';
import type { Floats, Point } from './engine.ts';
import { HostRunning } from './host-running.ts';
import type { RelaxOptions } from './true-bits.ts';

/**
 * What a mean-field step needs besides the steps themselves: how much the loss bends along each unit, and the
 * gradient in W of the loss expected of random bits, to second order. An engine whose numbers are at hand
 * makes it of them like this.
 */

/** Steps alone, at a temperature in nats and with curvatures of units; sums are those at the means. */
export interface PlainRelaxOptions
  extends Pick<RelaxOptions, 'steps' | 'temperature' | 'damping' | 'gradient' | 'losses'> {
  readonly curvatures: Floats;
  readonly curvature: Floats;
}

/** Where the numbers are. */
export interface Host {
  floats(length: number): Floats;
  /** Some of the numbers, now. */
  numbers(floats: Floats, start?: number, end?: number): Float32Array;
  relax(at: Point, options: PlainRelaxOptions): Promise<void>;
}

/** `Engine.relax`. */
export async function relaxExpected(host: Host, at: Point, options: RelaxOptions): Promise<void> {
  const { H, V } = at.shape;
  const { gradient, bends, follow, temperature, ...rest } = options;
  const width = at.W.length / V;
  const range = at.range ?? { start: 0, end: at.block.n };
  const rows = Math.min(SPREAD_ROWS, range.end - range.start);
  const first = (at.offset ?? 0) + range.start;
  const W = host.numbers(at.W);
  const spread = spreadOf(host.numbers(at.E, first * width, (first + rows) * width), H, width);
  const running = HostRunning.of(bends);
  const units = unitCurvatures(W, running.values, H);
  const curvatures = host.floats(H);
  const curvature = host.floats(V);
  try {
    curvatures.write(units);
    const degrees = meanCurvature(units) * temperature;
    await host.relax(at, { ...rest, gradient, curvature, curvatures, temperature: degrees });
    const count = range.end - range.start;
    running.follow(host.numbers(curvature), count, follow);
    // The expected loss bends with W: its second-order term adds D_v W_vh mean(1 - e_h^2) to the gradient.
    const slopes = host.numbers(gradient);
    for (let v = 0; v < V; v++) {
      const scale = count * running.values[v];
      for (let h = 0; h < H; h++) slopes[v * width + h] += scale * W[v * width + h] * spread[h];
    }
    gradient.write(slopes);
  } finally {
    curvatures.free();
    curvature.free();
  }
}

/** Rows of a minibatch that tell how undecided the bits still are. */
export const SPREAD_ROWS = 128;

/** Mean of 1 - e_h^2 over rows of parameters a, with e = tanh(a). */
function spreadOf(a: Float32Array, H: number, width: number): Float64Array {
  const rows = a.length / width;
  const spread = new Float64Array(H);
  for (let i = 0; i < rows; i++) {
    for (let h = 0; h < H; h++) spread[h] += (1 - Math.tanh(a[i * width + h]) ** 2) / rows;
  }
  return spread;
}

/** c_h = sum_v D_v W_vh^2: what the loss bends along each unit, with D_v the mean curvature of bit v. */
export function unitCurvatures(W: Float32Array, curvature: ArrayLike<number>, H: number): Float32Array {
  const V = curvature.length;
  const width = W.length / V;
  const out = new Float64Array(H);
  for (let v = 0; v < V; v++) for (let h = 0; h < H; h++) out[h] += curvature[v] * W[v * width + h] ** 2;
  return Float32Array.from(out);
}

/** Mean curvature of the units; those that do nothing must not freeze a search. */
export function meanCurvature(curvatures: Float32Array): number {
  return Math.max(sum(curvatures) / curvatures.length, LEAST_CURVATURE);
}

export const LEAST_CURVATURE = 1e-3;

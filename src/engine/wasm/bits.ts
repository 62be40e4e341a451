import type { Floats, Point } from '../engine.ts';
import { type Host, type PlainRelaxOptions, relaxExpected } from '../expected-loss.ts';
import { coolingOf } from '../options.ts';
import type { AnnealOptions, FlipOptions, RelaxOptions } from '../true-bits.ts';
import type { JobFields } from './job.ts';
import { constants } from './layout.generated.ts';
import type { OpenPoint } from './point.ts';
import { WasmFloats } from './storage.ts';
import { runWithSums } from './sums.ts';
import { SMOOTHING } from './tables.ts';
import { type Tools, touch } from './tools.ts';

/** The operations on codes of true bits. */

/** Bits of a code whose values are all tried, at most. */
const MOST_ENUMERATED = 16;

const NO_PROBING = { expansions: 0, stretches: 0, steps: 0 };

/** `Engine.flip`. */
export async function flip(tools: Tools, at: Point, options: FlipOptions): Promise<void> {
  const point = tools.open('codes', at);
  const { V, width, count } = point;
  const { sums } = options;
  const losses = lossesAt(tools, point, options.losses);
  const { forward, columns } = await tools.packs.provide(point.held, 'forward', 'columns');
  const own: JobFields = {
    smoothing: SMOOTHING,
    kernel: sums ? constants.FLIP_SUMS : constants.FLIP,
    sweeps: options.sweeps,
    pairs: options.pairs ? 1 : 0,
    losses,
    forward,
    columns,
  };
  const parts = [...point.parts, own];
  const cost = count * V * width * 32;
  if (sums) await runWithSums(tools, parts, point, sums, cost);
  else await tools.panels(parts, count, cost);
  touch(point.moved, options.losses);
}

/** `Engine.anneal`. */
export async function anneal(tools: Tools, at: Point, options: AnnealOptions): Promise<void> {
  const point = tools.open('codes', at);
  const { V, width, free, count } = point;
  const { starts, iterations, hot, cold } = options;
  const startCount = Math.floor(starts.length / free);
  const { expansions, stretches, steps: probes } = options.probing ?? NO_PROBING;
  if (startCount < 1) throw new Error(`engine: anneal needs a start of H = ${free} numbers`);
  checkTemperature(hot);
  checkTemperature(cold);
  const given = {
    starts: tools.use(starts, 'starts', startCount * free),
    bends: tools.use(options.curvatures, 'curvatures', free),
    losses: lossesAt(tools, point, options.losses),
  };
  const { forward, back, columns } = await tools.packs.provide(point.held, 'forward', 'back', 'columns');
  const own: JobFields = {
    smoothing: SMOOTHING,
    kernel: constants.ANNEAL,
    ...given,
    startCount,
    forward,
    back,
    columns,
    expansions,
    stretches,
    probes,
    steps: iterations,
    hot,
    cooling: coolingOf(options),
    rate: options.damping,
    sweeps: options.sweeps,
    keep: options.keep ? 1 : 0,
  };
  const cost = count * V * width * 2 * (iterations + 8 + 8 * expansions) * startCount;
  await tools.panels([...point.parts, own], count, cost);
  touch(point.moved, options.losses);
}

/** `Engine.relax`. */
export function relax(tools: Tools, at: Point, options: RelaxOptions): Promise<void> {
  tools.open('codes', at);
  const host: Host = {
    floats: (length) => new WasmFloats(tools.memory, length),
    numbers: (floats, start, end) => (floats as WasmFloats).copy(start, end),
    relax: (...given) => relaxPlainly(tools, ...given),
  };
  return relaxExpected(host, at, options);
}

async function relaxPlainly(tools: Tools, at: Point, options: PlainRelaxOptions): Promise<void> {
  const point = tools.open('codes', at);
  const { V, width, free, count } = point;
  const { steps, temperature } = options;
  if (!(steps >= 1)) throw new Error(`engine: relax needs at least one step, got ${steps}`);
  checkTemperature(temperature);
  const bends = tools.use(options.curvatures, 'curvatures', free);
  const losses = lossesAt(tools, point, options.losses);
  const { forward, back } = await tools.packs.provide(point.held, 'forward', 'back');
  const own: JobFields = {
    smoothing: SMOOTHING,
    kernel: constants.RELAX_SUMS,
    steps,
    bends,
    losses,
    forward,
    back,
    hot: temperature,
    rate: options.damping,
  };
  await runWithSums(tools, [...point.parts, own], point, options, count * V * width * 2 * steps);
  touch(point.moved, options.losses);
}

/** `Engine.enumerate`. */
export async function enumerate(tools: Tools, at: Point, losses?: Floats): Promise<void> {
  const point = tools.open('codes', at);
  const { V, free, count } = point;
  if (free > MOST_ENUMERATED) {
    throw new Error(`engine: H = ${free} is too many bits to enumerate; at most ${MOST_ENUMERATED}`);
  }
  const to = lossesAt(tools, point, losses);
  const { forward, columns } = await tools.packs.provide(point.held, 'forward', 'columns');
  const own: JobFields = { kernel: constants.ENUMERATE, losses: to, forward, columns };
  await tools.panels([...point.parts, own], count, count * V * 16 * 2 ** free);
  touch(point.moved, losses);
}

function lossesAt(tools: Tools, point: OpenPoint, losses: Floats | undefined): number {
  return tools.optional(losses, 'losses', point.items);
}

function checkTemperature(temperature: number): void {
  if (!(temperature > 0)) throw new Error(`engine: a temperature must be more than 0, got ${temperature}`);
}

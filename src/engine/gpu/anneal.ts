import type { Point } from '../engine.ts';
import { coolingOf } from '../options.ts';
import type { AnnealOptions } from '../true-bits.ts';
import type { Kernel } from './dispatcher.ts';
import { contest } from './flip.ts';
import { EACH, gridFor } from './grid.ts';
import { measure } from './look.ts';
import { checkTemperature, MEAN_FIELD_VECTORS, meanField } from './meanfield.ts';
import { type CodesAt, openPanel } from './panel.ts';
import { probe } from './probe.ts';
import type { Tools } from './tools.ts';

/**
 * `Engine.anneal`: three dispatches per start and two more per expansion, for any number of steps and flips.
 * Nothing is read back. Candidates stay on the device, first as parameters, then as the bits found.
 */
export function anneal(tools: Tools, at: Point, options: AnnealOptions): void {
  const panel = openPanel(tools, 'codes', at, MEAN_FIELD_VECTORS);
  const { free, width, start, end, items } = panel;
  const { hot, damping, iterations, keep, probing, sweeps } = options;
  const count = Math.floor(options.starts.length / free);
  if (count < 1) throw new Error(`engine: anneal needs a start of H = ${free} numbers`);
  checkTemperature(hot);
  checkTemperature(options.cold);
  const starts = tools.use(options.starts, 'starts', count * free);
  const curvatures = tools.use(options.curvatures, 'curvatures', free).slab;
  const least = options.losses
    ? tools.use(options.losses, 'losses', items)
    : tools.kept('least losses', items);
  if (keep) measure(tools, at, { losses: least });
  const candidates: CodesAt = { slab: tools.room('candidates', 4 * (end - start) * width), at: -start };
  const field = { parameters: candidates, curvatures, steps: iterations, hot, damping };
  for (let k = 0; k < count; k++) {
    const tasks = (end - start) * width;
    tools.dispatcher.run(
      beginning,
      gridFor(tasks),
      {
        starts: starts.slab,
        codes: panel.bound.codes,
        candidates: candidates.slab,
        least: least.slab,
      },
      {
        tasks,
        width,
        free,
        startAt: k * free,
        start,
        codesAt: panel.values.codesAt,
        fresh: k === 0 && !keep ? 1 : 0,
      },
    );
    meanField(tools, panel, { ...field, cooling: coolingOf(options) });
    if (!probing?.expansions) contest(tools, at, candidates, sweeps, least);
    else
      for (let expansion = 0; expansion < probing.expansions; expansion++) {
        probe(tools, at, candidates, probing, expansion === 0);
        contest(tools, at, candidates, sweeps, least);
      }
  }
}

/**
 * Writes a start for every row of the range, followed by the bias unit's code. At the first start, rows
 * without a code to keep get a loss that every candidate beats.
 */
const beginning = {
  key: 'begin to anneal',
  fields: {
    tasks: 'u32',
    width: 'u32',
    free: 'u32',
    startAt: 'u32',
    start: 'u32',
    codesAt: 'u32',
    fresh: 'u32',
  },
  buffers: { starts: 'read f32', codes: 'read f32', candidates: 'write f32', least: 'write f32' },
  code: () =>
    EACH(/* wgsl */ `
  let row = params.start + i / params.width;
  let h = i % params.width;
  if (h < params.free) { candidates[i] = starts[params.startAt + h]; }
  else { candidates[i] = codes[(params.codesAt + row) * params.width + h]; }
  if (params.fresh == 1u && h == 0u) { least[row] = 1e30; }`),
} as const satisfies Kernel<Record<string, 'u32'>, Record<string, 'read f32' | 'write f32'>>;

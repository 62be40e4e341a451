import type { AnnealOptions, FlipOptions, Floats, RelaxOptions } from '../engine.ts';
import { coolingOf } from '../reference/meanfield.ts';
import type { JobFields } from './job.ts';
import type { Memory } from './memory.ts';
import type { OpenPoint } from './point.ts';
import { useFloats } from './storage.ts';

/** Bits of a code whose values are all tried, at most. */
const MOST_ENUMERATED = 16;

const NO_PROBING = { expansions: 0, stretches: 0, steps: 0 };

/** The operations on codes of true bits, as fields of a job: what each adds to the point it works at. */
export interface BitsWork {
  readonly fields: JobFields;
  /** Multiply-adds, about. */
  readonly cost: number;
}

export function flipWork(memory: Memory, point: OpenPoint, options: FlipOptions): BitsWork {
  const { V, width, count } = point;
  return {
    fields: {
      sweeps: options.sweeps,
      pairs: options.pairs ? 1 : 0,
      losses: lossesAt(memory, point, options.losses),
    },
    cost: count * V * width * 32,
  };
}

export function annealWork(memory: Memory, point: OpenPoint, options: AnnealOptions): BitsWork {
  const { V, width, free, count } = point;
  const { starts, iterations, hot, cold } = options;
  const startCount = Math.floor(starts.length / free);
  const { expansions, stretches, steps: probes } = options.probing ?? NO_PROBING;
  if (startCount < 1) throw new Error(`engine: anneal needs a start of H = ${free} numbers`);
  checkTemperature(hot);
  checkTemperature(cold);
  return {
    fields: {
      starts: useFloats(memory, starts, 'starts', startCount * free),
      startCount,
      ...{ expansions, stretches, probes },
      bends: useFloats(memory, options.curvatures, 'curvatures', free),
      steps: iterations,
      hot,
      cooling: coolingOf(options),
      rate: options.damping,
      sweeps: options.sweeps,
      keep: options.keep ? 1 : 0,
      losses: lossesAt(memory, point, options.losses),
    },
    cost: count * V * width * 2 * (iterations + 8 + 8 * expansions) * startCount,
  };
}

export function relaxWork(memory: Memory, point: OpenPoint, options: RelaxOptions): BitsWork {
  const { V, width, free, count } = point;
  const { steps, temperature } = options;
  if (!(steps >= 1)) throw new Error(`engine: relax makes at least one step, got ${steps}`);
  checkTemperature(temperature);
  return {
    fields: {
      steps,
      hot: temperature,
      rate: options.damping,
      bends: useFloats(memory, options.curvatures, 'curvatures', free),
      losses: lossesAt(memory, point, options.losses),
    },
    cost: count * V * width * 2 * steps,
  };
}

export function enumerateWork(memory: Memory, point: OpenPoint, losses?: Floats): BitsWork {
  const { V, free, count } = point;
  if (free > MOST_ENUMERATED) {
    throw new Error(`engine: H = ${free} is too many bits to enumerate; at most ${MOST_ENUMERATED}`);
  }
  return { fields: { losses: lossesAt(memory, point, losses) }, cost: count * V * 16 * 2 ** free };
}

function lossesAt(memory: Memory, point: OpenPoint, losses: Floats | undefined): number {
  return losses ? useFloats(memory, losses, 'losses', point.items) : 0;
}

function checkTemperature(temperature: number): void {
  if (!(temperature > 0)) throw new Error(`engine: a temperature is more than 0, got ${temperature}`);
}

/**
 * The entry: `work` takes units of a job until none is left. Any number of threads may work on the same job,
 * each with its own scratch memory; what a unit computes does not depend on who takes it.
 */
import { adagradPanel } from './adagrad';
import { enumeratePanel } from './bits/enumerate';
import { flipBytes, flipPanel } from './bits/flip';
import { gramBytes, gramSlot } from './gram';
import {
  ADAGRAD,
  ANNEAL,
  DECODE,
  ENUMERATE,
  FLIP,
  FLIP_SUMS,
  GRADIENT_SUMS,
  GRAM,
  Job,
  MEASURE,
  NEWTON,
  PACK,
  PACKED,
  POLISH,
  PROJECT,
  REDUCE,
  RELAX_SUMS,
  SLOPES,
  SOLVE,
  SOLVE_SUMS,
} from './job';
import { annealPanel, relaxPanel } from './bits/meanfield';
import { newtonBytes, newtonPanel } from './newton-step';
import { openPanel, panelBytes } from './panel';
import { decodePanel, gradientPanel, measurePanel, projectPanel } from './passes';
import { polishBytes, polishUnit } from './proof/polish';
import { probeBytes } from './bits/probe';
import { packBack, packColumns, packForward } from './product';
import { aligned } from './simd';
import { slopesBytes, slopesPanel } from './proof/slopes';
import { solvePanel } from './solve';
import { addChunk, chunkBytes, clearSlot, keepPanel, reduceSlots } from './sums';

export { adam } from './adam';

/** Bytes of scratch memory that each thread needs for the job. */
export function scratchBytes(job: Job): u32 {
  switch (job.kernel) {
    case PACK:
    case REDUCE:
      return 0;
    case GRAM:
      return gramBytes(job.width);
    case SOLVE_SUMS:
    case RELAX_SUMS:
    case GRADIENT_SUMS:
      return panelBytes(job) + chunkBytes(job);
    case FLIP:
      return flipBytes(job);
    case ANNEAL:
      return job.expansions ? probeBytes(job) : flipBytes(job);
    case FLIP_SUMS:
      return aligned(flipBytes(job)) + chunkBytes(job);
    case POLISH:
      return polishBytes(job);
    case NEWTON:
      return newtonBytes(job);
    case SLOPES:
      return slopesBytes(job);
    default:
      return panelBytes(job);
  }
}

/** Takes at most `limit` units; whether there may be more. Each thread has scratch memory of its own. */
export function work(job: Job, thread: u32, limit: u32): bool {
  const scratch = <usize>job.scratch + <usize>thread * <usize>job.scratchSize;
  for (; limit > 0; limit--) {
    const unit = atomic.add<i32>(changetype<usize>(job) + offsetof<Job>('next'), 1);
    if (unit >= job.units) return false;
    run(job, <u32>unit, scratch);
  }
  return true;
}

function run(job: Job, unit: u32, scratch: usize): void {
  switch (job.kernel) {
    case PACK:
      return pack(job, unit);
    case SOLVE_SUMS:
    case FLIP_SUMS:
    case RELAX_SUMS:
    case GRADIENT_SUMS:
      return sumSlot(job, unit, scratch);
    case POLISH:
      return polishUnit(job, unit, scratch);
    case REDUCE:
      return reduceSlots(job, unit);
    case GRAM:
      return gramSlot(job, unit, scratch);
  }
  const panel = openPanel(job, scratch);
  const first = job.start + (unit << 3);
  switch (job.kernel) {
    case NEWTON:
      return newtonPanel(job, scratch, first, job.end);
    case SLOPES:
      return slopesPanel(job, scratch, first, job.end);
    case SOLVE:
      return solvePanel(job, panel, first, job.end);
    case FLIP:
      return flipPanel(job, panel, scratch, first, job.end);
    case ANNEAL:
      return annealPanel(job, panel, scratch, first, job.end);
    case ENUMERATE:
      return enumeratePanel(job, panel, first, job.end);
    case ADAGRAD:
      return adagradPanel(job, panel, first, job.end);
    case MEASURE:
      return measurePanel(job, panel, first, job.end);
    case DECODE:
      return decodePanel(job, panel, first, job.end);
    case PROJECT:
      return projectPanel(job, panel, first, job.end);
  }
}

function pack(job: Job, unit: u32): void {
  const first = unit * PACKED;
  const last = min(job.K, first + PACKED);
  if (job.forward) packForward(job.A, job.K, job.width, job.forward, first, last);
  if (job.back) packBack(job.A, job.K, job.width, job.back, first, last);
  if (job.columns) packColumns(job.A, job.K, job.width, job.columns, first, last);
}

/**
 * Solves, flips, relaxes or only differentiates the rows of a slot, chunk by chunk, and adds up their sums.
 */
function sumSlot(job: Job, slot: u32, scratch: usize): void {
  const flips = job.kernel == FLIP_SUMS;
  const panel = openPanel(job, scratch);
  const chunk = scratch + (flips ? aligned(flipBytes(job)) : panelBytes(job));
  clearSlot(job, slot);
  for (let first = job.start + slot * job.chunk; first < job.end; first += job.slots * job.chunk) {
    const end = min(job.end, first + job.chunk);
    for (let row = first; row < end; row += 8) {
      if (flips) flipPanel(job, panel, scratch, row, end);
      else if (job.kernel == RELAX_SUMS) relaxPanel(job, panel, row, end);
      else if (job.kernel == GRADIENT_SUMS) gradientPanel(job, panel, row, end);
      else solvePanel(job, panel, row, end);
      keepPanel(job, panel, slot, chunk, row - first);
    }
    addChunk(job, slot, chunk, end - first);
  }
}

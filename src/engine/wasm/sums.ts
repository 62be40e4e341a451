import type { Sums } from '../engine.ts';
import { HostRunning } from '../host-running.ts';
import type { JobParts } from './job.ts';
import { constants } from './layout.generated.ts';
import type { OpenPoint } from './point.ts';
import type { WasmFloats } from './storage.ts';
import { type Tools, touch } from './tools.ts';

/** Slots that sums over rows are dealt to: fixed, so that the number of threads does not matter. */
export const SLOTS = 8;
/** Floats that all slots together may take before there are fewer of them. */
const SLOT_FLOATS = 1 << 26;

/** Runs a kernel that goes through chunks of rows by slots, then adds up the slots. */
export async function runWithSums(
  tools: Tools,
  parts: JobParts,
  point: OpenPoint,
  sums: Pick<Sums, 'gradient'> & Partial<Sums>,
  cost: number,
): Promise<void> {
  const { V, width, count } = point;
  const gradient = tools.use(sums.gradient, 'the sums of the gradient', V * width);
  const curvature = tools.optional(sums.curvature, 'the sums of the curvature', V);
  const chunk = Math.max(8, Math.min(64, Math.floor(65536 / V / 8) * 8));
  // Tiles of 4 x 8 for the gradient, then the curvatures; see src/kernels/sums.ts.
  const bits = 4 * Math.ceil(V / 4);
  const slotSize = 16 * Math.ceil((bits * 8 * Math.ceil(width / 8) + bits) / 16);
  const most = Math.max(1, Math.min(SLOTS, Math.floor(SLOT_FLOATS / slotSize)));
  const slots = Math.max(1, Math.min(most, Math.ceil(count / chunk)));
  const partial = tools.memory.allocate(4 * slots * slotSize, 'sums over rows');
  try {
    const slotted = [...parts, { chunk, slots, slotSize, partial, gradient, curvature }];
    await tools.pool.run(slotted, cost, slots);
    await tools.pool.run([...slotted, { kernel: constants.REDUCE }], slots * V * width, Math.ceil(V / 4));
  } finally {
    tools.memory.free(partial);
  }
  touch(sums.gradient, sums.curvature);
  const { running } = sums;
  if (running)
    HostRunning.of(running.means).follow((sums.curvature as WasmFloats).copy(), count, running.share);
}

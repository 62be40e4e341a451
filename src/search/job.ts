import type { Memory } from '../engine/wasm/memory.ts';
import { jobBytes, jobLayout } from './binary.generated.ts';

export type JobFields = Partial<Record<keyof typeof jobLayout, number>>;

export { jobBytes };

/** Writes a job at `at`; fields that are not given are 0. */
export function writeJob(memory: Memory, at: number, fields: JobFields): void {
  memory.bytes(at, jobBytes).fill(0);
  const view = new DataView(memory.memory.buffer, at, jobBytes);
  for (const [name, value] of Object.entries(fields)) {
    const [offset, type] = jobLayout[name as keyof JobFields];
    if (type === 'f32') view.setFloat32(offset, value, true);
    else view.setUint32(offset, value, true);
  }
}

import { jobBytes, jobLayout } from './layout.generated.ts';
import type { Memory } from './memory.ts';

type JobField = keyof typeof jobLayout;
export type JobFields = Partial<Record<JobField, number>>;
/**
 * Fields of a job in parts, of which later ones count. They are not made one object: to copy one of thirty
 * fields takes longer than to write them, and shows where a job is one row.
 */
export type JobParts = readonly JobFields[];

export { jobBytes };

/** Writes a job at `at`; fields that are not given are 0. */
export function writeJob(memory: Memory, at: number, parts: JobParts): void {
  memory.bytes(at, jobBytes).fill(0);
  setFields(memory, at, parts);
}

export function setFields(memory: Memory, at: number, parts: JobParts): void {
  const view = new DataView(memory.memory.buffer, at, jobBytes);
  for (const fields of parts) {
    for (const name in fields) {
      const [offset, type] = jobLayout[name as JobField];
      const value = fields[name as JobField] as number;
      if (type === 'f32') view.setFloat32(offset, value, true);
      else if (type === 'f64') view.setFloat64(offset, value, true);
      else view.setUint32(offset, value, true);
    }
  }
}

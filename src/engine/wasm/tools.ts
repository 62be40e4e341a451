import type { Floats, Point, Side } from '../engine.ts';
import type { JobParts } from './job.ts';
import type { Memory } from './memory.ts';
import { Packs } from './packs.ts';
import { type OpenPoint, openPoint } from './point.ts';
import type { Pool } from './pool.ts';
import { useFloats, WasmFloats } from './storage.ts';
import { LossTables } from './tables.ts';

/**
 * What operations are made with: the memory, the threads that share it, packed factors and tables of losses.
 */
export class Tools {
  readonly memory: Memory;
  readonly pool: Pool;
  readonly packs: Packs;
  readonly losses: LossTables;

  constructor(memory: Memory, pool: Pool) {
    this.memory = memory;
    this.pool = pool;
    this.packs = new Packs(memory, pool);
    this.losses = new LossTables(memory);
  }

  open(side: Side, at: Point): OpenPoint {
    return openPoint(this.memory, this.losses, side, at);
  }

  /** The address of numbers that an operation reads or writes. */
  use(floats: Floats, name: string, length: number): number {
    return useFloats(this.memory, floats, name, length);
  }

  optional(floats: Floats | undefined, name: string, length: number): number {
    return floats ? this.use(floats, name, length) : 0;
  }

  /** Runs a kernel whose units are panels of eight items. */
  panels(parts: JobParts, items: number, cost: number): Promise<void> {
    return this.pool.run(parts, cost, Math.ceil(items / 8));
  }
}

/** Says that numbers were changed by a kernel. */
export function touch(...changed: (Floats | undefined)[]): void {
  for (const floats of changed) if (floats instanceof WasmFloats) floats.version++;
}

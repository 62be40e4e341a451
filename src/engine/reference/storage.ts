import type { Rows } from '../../rows/rows.ts';
import type { Block, Floats, Point } from '../engine.ts';
import type { Stored } from './item.ts';

/** Numbers of the reference engine: an array. */
export class ReferenceFloats implements Floats {
  readonly values: Float32Array;
  constructor(length: number) {
    this.values = new Float32Array(length);
  }
  get length(): number {
    return this.values.length;
  }
  async read(start?: number, end?: number): Promise<Float32Array> {
    return this.values.slice(start, end);
  }
  write(values: ArrayLike<number>, start = 0): void {
    this.values.set(values, start);
  }
  fill(value: number, start?: number, end?: number): void {
    this.values.fill(value, start, end);
  }
  free(): void {}
}

export interface ReferenceBlock extends Block {
  readonly rows: Rows;
}

export function valuesOf(floats: Floats): Float32Array {
  if (!(floats instanceof ReferenceFloats)) throw new Error('engine: these floats belong to another engine');
  return floats.values;
}

export function rowsOf(block: Block): Rows {
  return (block as ReferenceBlock).rows;
}

/** What a point refers to, as arrays. */
export function storedAt(at: Point): Stored {
  return {
    rows: rowsOf(at.block),
    W: valuesOf(at.W),
    E: valuesOf(at.E),
    columnWeights: at.columnWeights && valuesOf(at.columnWeights),
    rowWeights: at.rowWeights && valuesOf(at.rowWeights),
  };
}

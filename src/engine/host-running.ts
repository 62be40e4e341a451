import type { Running } from './engine.ts';

/** Running means in the memory of the program, of an engine whose numbers are at hand. */
export class HostRunning implements Running {
  readonly values: Float64Array;

  constructor(length: number) {
    this.values = new Float64Array(length);
  }

  /** The means themselves, which must be of this kind. */
  static of(means: Running): HostRunning {
    if (means instanceof HostRunning) return means;
    throw new Error('engine: these running means belong to another engine');
  }

  /** Moves the means a share of the way to those of `count` numbers with these sums. */
  follow(sums: ArrayLike<number>, count: number, share: number): void {
    const { values } = this;
    for (let v = 0; v < values.length; v++) values[v] += share * (sums[v] / count - values[v]);
  }

  async read(): Promise<Float64Array> {
    return this.values.slice();
  }

  write(values: ArrayLike<number>): void {
    this.values.set(values);
  }

  free(): void {}
}

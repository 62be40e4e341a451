import type { Slopes } from '../proofs.ts';
import { type Item, lossAt, scores } from './item.ts';

/** What `Engine.slopes` gives, one item after the other. */
export class SlopesOfItems implements Slopes {
  readonly losses: Float64Array;
  readonly conjugates: Float64Array;
  readonly gradients: Float64Array;

  constructor(count: number, width: number) {
    this.losses = new Float64Array(count);
    this.conjugates = new Float64Array(count);
    this.gradients = new Float64Array(count * width);
  }

  /** The item at place `index`, with the direction that its dual point is moved along. */
  take(item: Item, index: number, direction?: Float64Array): void {
    const { loss, A, width, x, weights, z } = item;
    const m = scores(item, z);
    const change = direction && scores(item, direction);
    this.losses[index] = lossAt(item, m);
    for (let k = 0; k < item.count; k++) {
      if (weights[k] === 0) continue;
      const there = loss.psiPrime(m[k]) + (change ? loss.psiSecond(m[k]) * change[k] : 0);
      const u = Math.max(-1, Math.min(1, there));
      this.conjugates[index] += 0.5 * weights[k] * loss.conjugate(u);
      const residual = 0.5 * weights[k] * (u - x[k]);
      for (let h = 0; h < width; h++) this.gradients[index * width + h] += residual * A[k * width + h];
    }
  }
}

import KDBush from 'kdbush';

/** Finds points by where they are. */
export class Places {
  readonly #points: Float32Array;
  readonly #index: KDBush;

  constructor(points: Float32Array) {
    this.#points = points;
    this.#index = new KDBush(points.length / 2, 64, Float32Array);
    for (let k = 0; k < points.length; k += 2) this.#index.add(points[k], points[k + 1]);
    this.#index.finish();
  }

  /** The point nearest to a place and no further from it than `reach`. */
  nearest(x: number, y: number, reach: number): number | undefined {
    let [best, least] = [-1, reach * reach];
    for (const i of this.#index.within(x, y, reach)) {
      const away = (this.#points[2 * i] - x) ** 2 + (this.#points[2 * i + 1] - y) ** 2;
      if (away <= least) [best, least] = [i, away];
    }
    return best < 0 ? undefined : best;
  }

  /** All points inside a polygon (x, y, x, y, ...), in their order. */
  inside(polygon: readonly number[]): Uint32Array {
    const xs = polygon.filter((_, k) => k % 2 === 0);
    const ys = polygon.filter((_, k) => k % 2 === 1);
    const near = this.#index.range(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
    return Uint32Array.from(
      near.filter((i) => encloses(xs, ys, this.#points[2 * i], this.#points[2 * i + 1])),
    ).sort();
  }
}

/** Whether a ray to the right crosses the border an odd number of times. */
function encloses(xs: readonly number[], ys: readonly number[], x: number, y: number): boolean {
  let inside = false;
  for (let a = 0, b = xs.length - 1; a < xs.length; b = a++) {
    const crosses = ys[a] > y !== ys[b] > y;
    if (crosses && x < ((xs[b] - xs[a]) * (y - ys[a])) / (ys[b] - ys[a]) + xs[a]) inside = !inside;
  }
  return inside;
}

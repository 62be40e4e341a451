import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type Matrix, matrix } from '../../src/math.ts';

/** Random matrices from one seed, for tests. */
export function randomMatrices(seed: number) {
  const generator = xoroshiro128plus(seed);
  const uniform = () => uniformFloat64(generator);
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const fill = (rows: number, cols: number, draw: () => number): Matrix =>
    matrix(rows, cols, Float64Array.from({ length: rows * cols }, draw));
  return {
    uniform,
    /** Entries from N(0, 1), as the paper starts W. */
    normals: (rows: number, cols: number) => fill(rows, cols, normal),
    /** Entries -1 or 1. */
    bits: (rows: number, cols: number) => fill(rows, cols, () => (uniform() < 0.5 ? -1 : 1)),
    /** Entries uniform in [-size, size]. */
    box: (rows: number, cols: number, size = 1) => fill(rows, cols, () => size * (2 * uniform() - 1)),
  };
}

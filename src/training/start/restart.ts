import { type Engine, type Shape, widthOf } from '../../engine/engine.ts';
import { counted } from '../../rows/counted.ts';
import type { Rows } from '../../rows/rows.ts';
import { clearCodes } from '../../solvers/codes.ts';
import { Encoder } from '../../solvers/encode.ts';
import { TYPICAL_CURVATURE } from '../minibatch.ts';
import type { Settings } from '../settings.ts';

/**
 * Brings given starting weights to the scale that learning works in. Codes of some rows are found with W, and
 * each unit is scaled so that its codes have unit variance; the weights of a finished model have codes that
 * fill the box instead. In a simplex or a ball the units keep their relative scale, and the set gets the size
 * that it is learned in.
 */
export async function restart(
  engine: Engine,
  sample: Rows,
  start: Float32Array,
  shape: Shape,
  { loss, set, radius }: Pick<Settings, 'loss' | 'set' | 'radius'>,
): Promise<Float32Array> {
  const { V, H } = shape;
  const width = widthOf(shape);
  if (start.length !== V * width) {
    throw new RangeError(
      `fit: start must hold V x width = ${V} x ${width} weights, got ${counted(start.length, 'number')}`,
    );
  }
  if (set && radius < Number.POSITIVE_INFINITY) {
    return start.map((w, k) => (k % width < H ? w / radius : w));
  }
  const curvature = new Float32Array(V).fill(TYPICAL_CURVATURE);
  const encoder = await Encoder.create(engine, {
    shape,
    W: start,
    loss,
    set,
    curvature,
    radius: Number.POSITIVE_INFINITY,
  });
  const block = engine.load(sample);
  const E = engine.floats(sample.n * width);
  clearCodes(E, shape);
  await encoder.approach({ block, E }, APPROACH_STEPS);
  const codes = await E.read();
  encoder.free();
  block.free();
  E.free();
  const squares = new Float64Array(H);
  for (let k = 0; k < codes.length; k++) if (k % width < H) squares[k % width] += codes[k] ** 2 / sample.n;
  return start.map((w, k) => {
    const square = squares[k % width];
    return k % width < H && square > 0 ? w * Math.sqrt(square) : w;
  });
}

const APPROACH_STEPS = 20;

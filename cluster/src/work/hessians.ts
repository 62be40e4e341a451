import { setImmediate as breath } from 'node:timers/promises';
import { type Engine, type Floats, type Point, widthOf } from 'pc-ae/engine';
import { entry, type Rows } from 'pc-ae/rows';

/** Numbers of the upper triangle of a symmetric matrix. */
export function packedSize(width: number): number {
  return (width * (width + 1)) / 2;
}

/**
 * The Hessian in w_v of the loss of some rows, for each bit v: sum over rows of (1/2) Psi''(m_v) e e^T, upper
 * triangles row by row, one after the other. Psi'' of the cross-entropy is (1 - Psi'^2) / 2, and Psi' is what
 * the decoder gives.
 */
export async function hessians(
  engine: Engine,
  floats: (length: number) => Floats,
  { shape, W, E, loss }: Point,
  rows: Rows,
): Promise<Float32Array> {
  const { V } = shape;
  const { n } = rows;
  const width = widthOf(shape);
  const weights = floats(n);
  const decoded = await engine.decode({ shape, W, E, loss }, 'transfer');
  const out = new Float32Array(V * packedSize(width));
  const whole = rows.kind === 'bits' && !rows.known;
  const bends = new Float32Array(n);
  for (let v = 0; v < V; v++) {
    for (let i = 0; i < n; i++) {
      const t = decoded[i * V + v];
      bends[i] = whole || !Number.isNaN(entry(rows, i, v)) ? (1 - t * t) / 4 : 0;
    }
    weights.write(bends);
    const full = await engine.gram(E, n, width, weights);
    let at = v * packedSize(width);
    for (let i = 0; i < width; i++) for (let j = i; j < width; j++) out[at++] = full[i * width + j];
    // Whoever waits for answers meanwhile gets a turn.
    if (v % 64 === 63) await breath();
  }
  return out;
}

import { type Engine, type Floats, type Point, widthOf } from 'pc-ae/engine';
import { entry, type Rows } from 'pc-ae/rows';

/** Numbers of the upper triangle of a symmetric matrix. */
export function packedSize(width: number): number {
  return (width * (width + 1)) / 2;
}

/**
 * The Hessian in w_v of a shard's loss, for each bit v: sum over rows of (1/2) Psi''(m_v) e e^T, upper triangles row by row, one
 * after the other. Of a large shard some rows stand for all: a Newton step needs to know how the loss bends less exactly than
 * which way is down. Psi'' of the cross-entropy is (1 - Psi'^2) / 2, and Psi' is what the decoder gives.
 */
export async function hessians(
  engine: Engine,
  floats: (length: number) => Floats,
  { shape, W, E, loss }: Point,
  rows: Rows,
): Promise<Float32Array> {
  const { V } = shape;
  const width = widthOf(shape);
  const stride = Math.max(1, Math.floor(rows.n / Math.max(LEAST_ROWS, rows.n / SHARE)));
  const chosen = Array.from({ length: Math.ceil(rows.n / stride) }, (_, k) => k * stride);
  const [some, weights] = [floats(chosen.length * width), floats(chosen.length)];
  const codes = await E.read();
  some.write(chosen.flatMap((i) => [...codes.subarray(i * width, (i + 1) * width)]));
  const decoded = await engine.decode({ shape, W, E: some, loss }, 'transfer');
  const out = new Float32Array(V * packedSize(width));
  const whole = rows.kind === 'bits' && !rows.known;
  const scale = rows.n / chosen.length;
  const bends = new Float32Array(chosen.length);
  for (let v = 0; v < V; v++) {
    chosen.forEach((i, k) => {
      const t = decoded[k * V + v];
      const counts = whole || !Number.isNaN(entry(rows, i, v));
      bends[k] = counts ? (scale * (1 - t * t)) / 4 : 0;
    });
    weights.write(bends);
    const full = await engine.gram(some, chosen.length, width, weights);
    let at = v * packedSize(width);
    for (let i = 0; i < width; i++) for (let j = i; j < width; j++) out[at++] = full[i * width + j];
  }
  return out;
}

/** All rows of a small shard, and one in eight of a large one. */
const LEAST_ROWS = 4000;
const SHARE = 8;

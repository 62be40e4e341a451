import {
  type Block,
  type Engine,
  type Floats,
  type Point,
  type Range,
  type Shape,
  widthOf,
} from '../engine/engine.ts';
import type { Certificates } from '../engine/proofs.ts';
import type { Rows } from '../rows/rows.ts';

/**
 * Runs `work` on rows that are loaded into the engine with space for their codes, and frees both afterwards.
 */
export async function withRows<T>(
  engine: Engine,
  rows: Rows,
  width: number,
  work: (block: Block, E: Floats) => Promise<T>,
): Promise<T> {
  const block = engine.load(rows);
  let E: Floats | undefined;
  try {
    E = engine.floats(rows.n * width);
    return await work(block, E);
  } finally {
    E?.free();
    block.free();
  }
}

/**
 * Losses of the codes at a point, and Frank-Wolfe gaps over the box of this radius; in float32. Far from the
 * optimum these gaps can be larger than the loss, which bounds a gap just as well where no loss is below 0.
 */
export async function measureCodes(engine: Engine, at: Point, radius: number): Promise<Certificates> {
  const { n } = at.block;
  const { start, end } = at.range ?? { start: 0, end: n };
  const losses = engine.floats(n);
  const gaps = engine.floats(n);
  await engine.measure(at, { losses, gaps, radius });
  const measured = {
    losses: Float64Array.from(await losses.read(start, end)),
    gaps: Float64Array.from(await gaps.read(start, end)),
  };
  losses.free();
  gaps.free();
  const { loss } = at;
  if (Math.min(loss.plus(1), loss.minus(-1)) >= 0) {
    measured.losses.forEach((most, i) => {
      measured.gaps[i] = Math.min(measured.gaps[i], most);
    });
  }
  return measured;
}

/** Sets the codes of a range of rows (default: all) to 0, and the bias unit's to 1. */
export function clearCodes(E: Floats, { H, bias }: Pick<Shape, 'H' | 'bias'>, range?: Range): void {
  const width = widthOf({ H, bias });
  const { start, end } = range ?? { start: 0, end: E.length / width };
  E.fill(0, start * width, end * width);
  if (!bias) return;
  const chunk = new Float32Array(Math.min(4096, end - start) * width);
  for (let i = width - 1; i < chunk.length; i += width) chunk[i] = 1;
  for (let at = start * width; at < end * width; at += chunk.length) {
    E.write(chunk.subarray(0, Math.min(chunk.length, end * width - at)), at);
  }
}

/** Codes n x H in the form that an engine keeps: with the bias unit's 1 in the last of `width` columns. */
export function withBias(codes: Float32Array, H: number, width: number): Float32Array {
  if (width === H) return codes;
  const n = codes.length / H;
  const out = new Float32Array(n * width).fill(1);
  for (let i = 0; i < n; i++) out.set(codes.subarray(i * H, (i + 1) * H), i * width);
  return out;
}

/** The H numbers of each code, without the bias unit's constant. */
export function withoutBias(stored: Float32Array, H: number, width: number): Float32Array {
  if (width === H) return stored;
  const n = stored.length / width;
  const codes = new Float32Array(n * H);
  // A view of each of a million codes takes longer than their numbers do.
  for (let i = 0, at = 0; i < n; i++) for (let h = 0; h < H; h++) codes[at++] = stored[i * width + h];
  return codes;
}

/** The largest |e_h| of each unit. */
export async function largestCodes(E: Floats, n: number, shape: Shape): Promise<Float64Array> {
  const { H } = shape;
  const most = new Float64Array(H);
  for await (const { codes } of chunks(E, n, shape)) {
    codes.forEach((e, k) => {
      const h = k % widthOf(shape);
      if (h < H) most[h] = Math.max(most[h], Math.abs(e));
    });
  }
  return most;
}

/** Changes each number of the first n codes; the bias unit's 1 stays. */
export async function changeCodes(
  E: Floats,
  n: number,
  shape: Shape,
  change: (e: number, h: number) => number,
): Promise<void> {
  const width = widthOf(shape);
  for await (const { codes, start } of chunks(E, n, shape)) {
    const changed = codes.map((e, k) => (k % width < shape.H ? change(e, k % width) : e));
    E.write(changed, start * width);
  }
}

/** The first n codes, copied, some thousand at a time; `start` is the number of the first of them. */
async function* chunks(E: Floats, n: number, shape: Shape) {
  const width = widthOf(shape);
  for (let start = 0; start < n; start += CHUNK) {
    yield { start, codes: await E.read(start * width, Math.min(n, start + CHUNK) * width) };
  }
}

const CHUNK = 8192;

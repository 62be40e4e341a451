import type { Block, Engine, Floats, Point } from '../engine/engine.ts';
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

/** Losses and Frank-Wolfe gaps, over the box of this radius, of the codes at a point; in float32. */
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
  return measured;
}

/** Sets the codes of rows start to end to 0, and the bias unit's to 1. */
export function clearCodes(E: Floats, width: number, bias: boolean, start = 0, end = E.length / width): void {
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
  for (let i = 0; i < n; i++) codes.set(stored.subarray(i * width, i * width + H), i * H);
  return codes;
}

/** The largest |e_h| of each unit. */
export async function largestCodes(E: Floats, n: number, H: number, width: number): Promise<Float64Array> {
  const most = new Float64Array(H);
  await eachCode(
    E,
    n,
    width,
    (codes, at) => {
      for (let h = 0; h < H; h++) most[h] = Math.max(most[h], Math.abs(codes[at + h]));
    },
    false,
  );
  return most;
}

/** Calls `work` with each code's place in a copied chunk, which is written back unless told otherwise. */
export async function eachCode(
  E: Floats,
  n: number,
  width: number,
  work: (codes: Float32Array, at: number) => void,
  writeBack = true,
): Promise<void> {
  for (let start = 0; start < n; start += CHUNK) {
    const codes = await E.read(start * width, Math.min(n, start + CHUNK) * width);
    for (let at = 0; at < codes.length; at += width) work(codes, at);
    if (writeBack) E.write(codes, start * width);
  }
}

const CHUNK = 8192;

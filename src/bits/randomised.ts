import { type Engine, type Point, widthOf } from '../engine/engine.ts';
import { rowStream, sampleUnit } from '../rows/binarize.ts';
import { counted } from '../rows/counted.ts';

/**
 * Randomised codes (Sec. 1.1, App. B): a code in the box [-1, 1]^H stands for H independent bits, e_h = 1/2
 * for one that is +1 with probability 3/4. Here the bits are drawn, and what drawing costs is measured.
 */
export interface BoxCodes {
  /** n x width, code after code. */
  readonly E: Float32Array;
  readonly H: number;
  /** Numbers from one code to the next: H, or H + 1 with a bias unit, which stays 1. Default H. */
  readonly width?: number;
}

export interface DrawOptions {
  readonly seed: number;
  /**
   * The number of the first code in its data set: a code's bits depend on seed, draw and this number alone.
   */
  readonly firstRow?: number;
  /** Which of the independent draws to make, from 0. */
  readonly draw?: number;
}

/** Bits in {-1, +1} with the codes' means, in the shape of E. */
export function drawCodes(codes: BoxCodes, options: DrawOptions): Float32Array {
  const { E, H, width = H } = codes;
  if (width !== H && width !== H + 1) {
    throw new RangeError(`width: found ${width}, expected ${H}, or ${H + 1} with a bias unit`);
  }
  if (E.length > 0 && E.length % width !== 0) {
    throw new RangeError(`codes: found ${counted(E.length, 'number')}, expected whole codes of ${width}`);
  }
  const { seed, firstRow = 0, draw = 0 } = options;
  const drawn = E.slice();
  for (let i = 0; i * width < E.length; i++) {
    // Rows are told apart by the low 32 bits of the stream's number, draws by the high ones.
    const stream = rowStream(seed, firstRow + i + draw * 2 ** 32);
    // Streams that differ in the high bits alone start alike: their first number does not see that part of
    // the state.
    for (let k = 0; k < 8; k++) stream.next();
    for (let h = 0; h < H; h++) {
      const e = E[i * width + h];
      if (!(e >= -1 && e <= 1)) {
        throw new RangeError(
          `codes: code ${firstRow + i + 1}, unit ${h + 1} is ${e}, outside the box [-1, 1]; ` +
            'only box codes stand for bits',
        );
      }
      drawn[i * width + h] = sampleUnit((1 + e) / 2, stream) ? 1 : -1;
    }
  }
  return drawn;
}

/** In nats, summed over the V entries of a row. */
export interface ExpectedLoss {
  /** Mean over the rows of the estimated expected loss of their drawn codes. */
  readonly mean: number;
  /** Standard error of `mean` that comes from the draws being finite in number; the rows count as given. */
  readonly standardError: number;
  /** Mean loss of the box codes themselves. Psi is convex, so `mean` can be below it only by chance. */
  readonly undrawn: number;
  readonly draws: number;
  /** The estimate for each row of the range. */
  readonly rows: Float64Array;
  /** Its standard error. */
  readonly rowErrors: Float64Array;
}

/**
 * Monte Carlo estimate of the expected loss of rows over the randomness of their codes. `firstRow` is the
 * number of the block's first row in its data set, where the block is a piece of it.
 */
export async function expectedLoss(
  engine: Engine,
  at: Point,
  options: { readonly draws: number; readonly seed: number; readonly firstRow?: number },
): Promise<ExpectedLoss> {
  const { draws, seed, firstRow = at.offset ?? 0 } = options;
  if (!Number.isInteger(draws) || draws < 2) {
    throw new RangeError(
      `draws: found ${draws}, expected at least 2 (one draw says nothing about its own error)`,
    );
  }
  const { H } = at.shape;
  const width = widthOf(at.shape);
  const { start, end } = at.range ?? { start: 0, end: at.block.n };
  const offset = at.offset ?? 0;
  const box = { E: await at.E.read((offset + start) * width, (offset + end) * width), H, width };
  const bits = engine.floats(at.block.n * width);
  const losses = engine.floats(at.block.n);
  try {
    await engine.measure(at, { losses });
    const undrawn = meanOf(await losses.read(start, end));
    const sums = runningMoments(end - start);
    for (let draw = 0; draw < draws; draw++) {
      bits.write(drawCodes(box, { seed, firstRow: firstRow + start, draw }), start * width);
      await engine.measure({ ...at, E: bits, offset: 0 }, { losses });
      sums.add(await losses.read(start, end));
    }
    const rowErrors = sums.variances().map((variance) => Math.sqrt(variance / draws));
    const total = rowErrors.reduce((sum, error) => sum + error * error, 0);
    const standardError = Math.sqrt(total) / Math.max(1, end - start);
    return { mean: meanOf(sums.means), standardError, undrawn, draws, rows: sums.means, rowErrors };
  } finally {
    bits.free();
    losses.free();
  }
}

/** Mean and variance of each of `n` numbers over repeated observations (Welford 1962). */
function runningMoments(n: number) {
  const means = new Float64Array(n);
  const squares = new Float64Array(n);
  let count = 0;
  return {
    means,
    add(values: ArrayLike<number>): void {
      count++;
      for (let i = 0; i < n; i++) {
        const away = values[i] - means[i];
        means[i] += away / count;
        squares[i] += away * (values[i] - means[i]);
      }
    },
    variances: () => squares.map((square) => square / (count - 1)),
  };
}

function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return values.length > 0 ? sum / values.length : 0;
}

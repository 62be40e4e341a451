import { encodingOf, encodings } from '../encodings/by-name.ts';
import type { Where } from '../engine/scope.ts';
import { Breath } from '../rows/breath.ts';
import { type RowsInput, readSource } from '../rows/input.ts';
import { entry } from '../rows/rows.ts';
import type { PCAE } from './model.ts';

/** How many nats per row it takes to send rows to somebody who has the model. */
export interface CodeLength {
  readonly n: number;
  /** The mean of codes and rows together. */
  readonly nats: number;
  /** The length of a code: H x bitsPerUnit x ln 2. */
  readonly codes: number;
  /** The mean length of the known entries of a row, given its code. */
  readonly rows: number;
  /** Bits that each number of a code is rounded to: the number for which `nats` is smallest. */
  readonly bitsPerUnit: number;
}

/**
 * The mean code length of rows under a fixed model: a number that a decoder can keep. A code is sent first,
 * each of its numbers as one of 2^k evenly spaced values from -1 to 1, all equally likely (true bits: k = 1).
 * Then the row is sent, each entry by the probability that the decoder gives it at the rounded code. Only k
 * is adapted to the rows, one number for all of them. The length is an upper bound of the negative
 * log-likelihood, because other codes could describe the row too.
 */
export async function codeLength(model: PCAE, rows: RowsInput, options: Where = {}): Promise<CodeLength> {
  checkModel(model);
  const { H } = model;
  const source = await readSource(rows, model.schema, options.signal);
  const choices = encodingOf(model.encoding).roundsTo;
  const losses = new Float64Array(choices.length);
  let n = 0;
  const breath = new Breath();
  for await (const part of model.encodeSource(source, options)) {
    if (part.rows.kind === 'real')
      throw new RangeError('codeLength: rows of bits are needed, these are real values');
    for (let i = 0; i < part.n; i++) {
      const code = part.codes.subarray(i * H, (i + 1) * H);
      choices.forEach((bits, k) => {
        losses[k] += rowCost(model, roundedCode(code, bits), (v) => entry(part.rows, i, v));
      });
      await breath.between(options.signal);
    }
    n += part.n;
  }
  if (n === 0) throw new RangeError('codeLength: there are no rows to measure on');
  const lengths = choices.map((bitsPerUnit, k) => {
    const codes = H * bitsPerUnit * Math.LN2;
    const rows = losses[k] / n;
    return { n, nats: codes + rows, codes, rows, bitsPerUnit };
  });
  return lengths.reduce((best, next) => (next.nats < best.nats ? next : best));
}

/** Rounds each number to the nearest of 2^bits evenly spaced values from -1 to 1. */
export function roundedCode(code: ArrayLike<number>, bits: number): Float64Array {
  const last = 2 ** bits - 1;
  return Float64Array.from(code, (e) => {
    const step = Math.round(((Math.max(-1, Math.min(1, e)) + 1) / 2) * last);
    return (2 * step) / last - 1;
  });
}

/** -ln p of the known entries of a row, given its code. */
function rowCost(model: PCAE, code: Float64Array, x: (v: number) => number): number {
  const { V, H, W, bias } = model;
  const width = bias ? H + 1 : H;
  let cost = 0;
  for (let v = 0; v < V; v++) {
    const value = x(v);
    if (Number.isNaN(value)) continue;
    let m = bias ? W[v * width + H] : 0;
    for (let h = 0; h < H; h++) m += W[v * width + h] * code[h];
    const wrong = -value * m;
    cost += Math.max(0, wrong) + Math.log1p(Math.exp(-Math.abs(wrong)));
  }
  return cost;
}

function checkModel(model: PCAE): void {
  const { encoding, reconstructionLoss, columnWeights, radius } = model;
  if (reconstructionLoss.name !== 'cross-entropy') {
    throw new RangeError(
      `codeLength: the loss of this model is ${reconstructionLoss.name}, which has no probabilities; use a model learned with cross-entropy`,
    );
  }
  if (columnWeights) {
    throw new RangeError('codeLength: this model weighs its columns, so its losses are not lengths of codes');
  }
  if (encodingOf(encoding).roundsTo.length === 0 || radius !== 1) {
    const fine = encodings.filter(({ roundsTo }) => roundsTo.length > 0).map(({ name }) => name);
    throw new RangeError(
      `codeLength: codes of this model are ${encoding} within ${radius}, expected bits or numbers in [-1, 1] (train with --encoding ${fine.join(' or ')})`,
    );
  }
}

import { encodingOf } from '../encodings/by-name.ts';
import type { Engine } from '../engine/engine.ts';
import { inverseHessian } from '../engine/mean-hessian.ts';
import type { PCAE } from '../model/model.ts';
import type { Bytes } from '../rows/bytes.ts';
import type { RowsInput } from '../rows/input.ts';
import { type EncoderAccuracy, measureEncoder } from './accuracy.ts';
import { conjugateGradients } from './conjugate-gradients.ts';
import { aboutCodes, biasWeights, unitWeights } from './decoder.ts';
import { type Graph, GraphBuilder } from './graph.ts';
import { describeModel } from './metadata.ts';
import { writeOnnx } from './onnx.ts';

export interface EncoderOptions {
  /** Steps of conjugate gradients for every row. More are slower and more accurate. Default 60. */
  readonly steps?: number;
  /** Take NaN as a missing entry, which costs a little time. Default false: rows must then be complete. */
  readonly takeMissing?: boolean;
  /**
   * Rows on which the file's accuracy is measured, to be remembered in its metadata; a few hundred are
   * plenty.
   */
  readonly heldOut?: RowsInput;
  readonly engine?: Engine;
}

/**
 * The encoder of Prop. 2 as the bytes of an ONNX file: `rows` (n x V, entries 0 to 1) in, `codes` (n x H)
 * out.
 *
 * A graph takes the same number of steps for every row: it cannot prove its codes, nor continue if a row
 * needs more steps. `heldOut` rows measure how far its codes are from the certified optimum.
 */
export async function exportEncoder(model: PCAE, options: EncoderOptions = {}): Promise<Bytes> {
  return (await measuredEncoder(model, options)).bytes;
}

/** The same, with what was measured on the held-out rows. */
export async function measuredEncoder(
  model: PCAE,
  options: EncoderOptions,
): Promise<{ readonly bytes: Bytes; readonly accuracy?: EncoderAccuracy }> {
  const { heldOut, engine } = options;
  const graph = encoderGraph(model, options);
  const accuracy = heldOut && (await measureEncoder(model, graph, heldOut, engine));
  const bytes = writeOnnx(graph, {
    ...describeModel(model),
    'pc-ae.part': 'encoder',
    'pc-ae.steps': `${options.steps ?? DEFAULT_STEPS}`,
    'pc-ae.missing': options.takeMissing ? 'NaN' : 'none',
    ...(accuracy && { 'pc-ae.accuracy': JSON.stringify(accuracy) }),
  });
  return { bytes, accuracy };
}

const DEFAULT_STEPS = 60;

export function encoderGraph(model: PCAE, options: EncoderOptions = {}): Graph {
  const { V, H, radius } = model;
  const { steps = DEFAULT_STEPS, takeMissing: missing = false } = options;
  if (!Number.isInteger(steps) || steps < 1) {
    throw new RangeError(`export: steps must be a whole number of at least 1, got ${steps}`);
  }
  if (model.columnWeights) {
    throw new Error('export: the encoder of a model with weights of columns cannot be written as ONNX yet');
  }
  if (!encodingOf(model.encoding).free) {
    throw new Error(
      `export: a graph finds box and real codes; this model's codes are '${model.encoding}'. ` +
        'Export the decoder, and encode rows with this package',
    );
  }
  const loss = model.reconstructionLoss.name;
  if (loss !== 'cross-entropy' && loss !== 'squared') {
    throw new Error(
      `export: an encoder for loss '${loss}' cannot be written as ONNX, only for cross-entropy and squared; ` +
        'the decoder may still be possible',
    );
  }
  const graph = new GraphBuilder();
  const one = graph.number(1);
  const A = graph.matrix('A', V, H, unitWeights(model, 0.5));
  let start = graph.matrix('bias', 1, V, biasWeights(model, 0.5));
  let X = graph.apply('Sub', [graph.apply('Mul', ['rows', graph.number(2)]), one]);
  let known: string | undefined;
  if (missing) {
    // A missing entry has score 0 and residual 0 throughout, so that it pulls at nothing.
    const absent = graph.apply('IsNaN', ['rows']);
    known = graph.apply('Where', [absent, graph.number(0), one]);
    X = graph.apply('Where', [absent, graph.number(0), X]);
    start = graph.apply('Mul', [known, start]);
  }
  const M = Float32Array.from(preconditioner(model));
  const metric = graph.matrix('metric', H, H, M);
  const scales = graph.matrix(
    'scales',
    1,
    H,
    Float32Array.from({ length: H }, (_, h) => M[h * H + h]),
  );
  const origin = graph.matrix('origin', 1, H, new Float32Array(H));
  const codes = conjugateGradients(
    graph,
    { A, X, known, start, origin, metric, scales, radius, loss },
    steps,
  );
  return graph.finish(
    {
      name: 'encoder',
      about: `Encoder of a pairwise-correlation autoencoder, ${steps} steps`,
      inputs: [
        {
          name: 'rows',
          columns: V,
          about: `bits 0 and 1, or probabilities${missing ? '; NaN is missing' : ''}`,
        },
      ],
      outputs: [{ name: 'codes', columns: H, about: aboutCodes(model) }],
    },
    { codes },
  );
}

/** (W^T diag(curvature) W)^-1: the inverse of the mean Hessian over the training rows. */
function preconditioner(model: PCAE): Float64Array {
  const { V, H, curvature } = model;
  const A = unitWeights(model);
  const S = new Float64Array(H * H);
  for (let v = 0; v < V; v++) {
    for (let i = 0; i < H; i++) {
      const w = curvature[v] * A[v * H + i];
      for (let j = 0; j < H; j++) S[i * H + j] += w * A[v * H + j];
    }
  }
  return inverseHessian(S, H, H, 0);
}

import type { Engine } from '../engine/engine.ts';
import type { PCAE } from '../model/model.ts';
import type { RowsInput } from '../rows/input.ts';
import { inverseHessian } from '../solvers/codes.ts';
import { measureEncoder } from './accuracy.ts';
import { biasWeights, unitWeights } from './decoder.ts';
import { type Graph, GraphBuilder } from './graph.ts';
import { describeModel } from './metadata.ts';
import { writeOnnx } from './onnx.ts';

export interface EncoderOptions {
  /** Steps of conjugate gradients for every row. More are slower and more accurate. Default 50. */
  readonly steps?: number;
  /** Take NaN as a missing entry; costs a little time. Default false: the codes of rows with NaN are then NaN. */
  readonly missing?: boolean;
  /** Rows on which the file's accuracy is measured, to be remembered in its metadata; a few hundred are plenty. */
  readonly validation?: RowsInput;
  readonly engine?: Engine;
}

/**
 * The encoder of Prop. 2 as the bytes of an ONNX file: `rows` (n x V, entries 0 to 1) in, `codes` (n x H) out.
 *
 * A graph cannot prove what it finds, nor go on where a row needs longer; it takes the same number of steps for
 * every row. How far that leaves the codes from the certified optimum is measured on `validation` rows.
 */
export async function exportEncoder(model: PCAE, options: EncoderOptions = {}): Promise<Uint8Array> {
  const { validation, engine } = options;
  const graph = encoderGraph(model, options);
  const accuracy = validation && (await measureEncoder(model, graph, validation, engine));
  return writeOnnx(graph, {
    ...describeModel(model),
    'pc-ae.part': 'encoder',
    'pc-ae.steps': `${options.steps ?? DEFAULT_STEPS}`,
    'pc-ae.missing': options.missing ? 'NaN' : 'none',
    ...(accuracy && { 'pc-ae.accuracy': JSON.stringify(accuracy) }),
  });
}

const DEFAULT_STEPS = 50;

export function encoderGraph(model: PCAE, options: EncoderOptions = {}): Graph {
  const { V, H, radius } = model;
  const { steps = DEFAULT_STEPS, missing = false } = options;
  if (!Number.isInteger(steps) || steps < 1) {
    throw new RangeError(`export: steps must be a whole number of at least 1, got ${steps}`);
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
  // Half the weights: then tanh of a score is the reconstruction, and residual times weights the gradient.
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
  const metric = graph.matrix('metric', H, H, Float32Array.from(preconditioner(model)));
  const origin = graph.matrix('origin', 1, H, new Float32Array(H));
  const codes = conjugateGradients(graph, { A, X, known, start, origin, metric, radius, loss }, steps);
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
      outputs: [{ name: 'codes', columns: H, about: `codes within [-${radius}, ${radius}]` }],
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

interface Problem {
  readonly A: string;
  readonly X: string;
  readonly known?: string;
  /** Half scores at the origin. */
  readonly start: string;
  readonly origin: string;
  readonly metric: string;
  readonly radius: number;
  readonly loss: 'cross-entropy' | 'squared';
}

/**
 * Preconditioned conjugate gradients (Polak-Ribiere, never with a negative factor), all rows side by side, each with
 * a step length of its own: Newton's along the direction, as far as the box allows. A direction that does not
 * descend gets length 0; the gradient then stays, and the next step starts afresh with the factor 0.
 */
function conjugateGradients(graph: GraphBuilder, problem: Problem, steps: number): string {
  const { A, X, known, origin, metric, radius, loss } = problem;
  let [E, M] = [origin, problem.start];
  let before: { readonly G: string; readonly square: string; readonly D: string } | undefined;
  for (let step = 1; step <= steps; step++) {
    const T = loss === 'squared' ? graph.clip(graph.apply('Add', [M, M]), -1, 1) : graph.apply('Tanh', [M]);
    const gradient = graph.apply('MatMul', [graph.apply('Sub', [T, X]), A]);
    const held = atBound(graph, E, graph.apply('Sub', [E, gradient]), radius);
    const zero = graph.number(0);
    const G = graph.apply('Where', [held, zero, gradient]);
    const P = graph.apply('Where', [held, zero, graph.apply('MatMul', [G, metric])]);
    const square = graph.dot(G, P);

    let D = graph.apply('Sub', [zero, P]);
    if (before) {
      const change = graph.dot(P, graph.apply('Sub', [G, before.G]));
      const last = graph.apply('Max', [before.square, graph.number(TINY)]);
      const factor = graph.clip(graph.apply('Div', [change, last]), 0, LARGEST_FACTOR);
      D = graph.apply('Add', [D, graph.apply('Mul', [factor, before.D])]);
    }
    D = graph.apply('Where', [atBound(graph, E, graph.apply('Add', [E, D]), radius), zero, D]);

    let U = graph.timesTranspose(D, A);
    if (known) U = graph.apply('Mul', [U, known]);
    const slope = graph.apply('Sub', [zero, graph.dot(G, D)]);
    const newton = newtonLength(graph, { loss, slope, T, U });
    const length = graph.apply('Min', [newton, roomInBox(graph, E, D, radius)]);
    E = graph.clip(graph.apply('Add', [E, graph.apply('Mul', [length, D])]), -radius, radius);
    M = graph.apply('Add', [M, graph.apply('Mul', [length, U])]);
    before = { G, square, D };
  }
  return E;
}

/** True where a code lies on the box's edge and moving to `target` would leave it. */
function atBound(graph: GraphBuilder, E: string, target: string, radius: number): string {
  return graph.apply('Equal', [graph.clip(target, -radius, radius), E]);
}

interface Line {
  readonly loss: 'cross-entropy' | 'squared';
  /** How fast the loss falls along the direction. */
  readonly slope: string;
  /** Reconstructions at the start of the line. */
  readonly T: string;
  /** Change of the half scores along the line. */
  readonly U: string;
}

/**
 * slope / curvature, within [0, as far as no score changes by more than 8]: beyond that the curvature at the start
 * says nothing. Cross-entropy has curvature sum (1 - T^2) U^2; for the squared loss the bound 2 sum U^2 is used, with
 * which a step can never go too far.
 */
function newtonLength(graph: GraphBuilder, { loss, slope, T, U }: Line): string {
  const squares = graph.reduce('ReduceSumSquare', U);
  if (loss === 'squared') {
    const bound = graph.apply('Max', [graph.apply('Mul', [squares, graph.number(2)]), graph.number(TINY)]);
    return graph.apply('Max', [graph.apply('Div', [slope, bound]), graph.number(0)]);
  }
  const lost = graph.reduce('ReduceSumSquare', graph.apply('Mul', [T, U]));
  // Where everything is saturated the difference drowns in rounding: it counts as a millionth of its bound.
  const least = graph.apply('Mul', [squares, graph.number(1e-6)]);
  const curvature = graph.apply('Max', [graph.apply('Sub', [squares, lost]), least, graph.number(TINY)]);
  const largest = graph.apply('Max', [
    graph.reduce('ReduceMax', graph.apply('Abs', [U])),
    graph.number(TINY),
  ]);
  const farthest = graph.apply('Div', [graph.number(FARTHEST / 2), largest]);
  const newton = graph.apply('Div', [slope, curvature]);
  return graph.apply('Max', [graph.apply('Min', [newton, farthest]), graph.number(0)]);
}

/** How far a row can go until the first of its numbers meets the box: min over h of (radius - e sign(d)) / |d|. */
function roomInBox(graph: GraphBuilder, E: string, D: string, radius: number): string {
  const towards = graph.apply('Mul', [E, graph.apply('Sign', [D])]);
  // A hair more than there is, so that rounding cannot leave the number just inside; the clip puts it on the edge.
  const room = graph.apply('Sub', [graph.number(radius * (1 + 1e-6)), towards]);
  const speed = graph.apply('Max', [graph.apply('Abs', [D]), graph.number(TINY)]);
  return graph.reduce('ReduceMin', graph.apply('Div', [room, speed]));
}

const TINY = 1e-30;
const LARGEST_FACTOR = 10;
/** No step changes a score by more than this. */
const FARTHEST = 8;

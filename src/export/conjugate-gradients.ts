import type { GraphBuilder } from './graph.ts';

/** The encoding problem of Prop. 2 by the names of its parts in a graph. */
export interface Problem {
  /** Half the weights, V x H: with them tanh of a score is the reconstruction, and residual times A the gradient. */
  readonly A: string;
  /** Entries -1 to 1, 0 where missing. */
  readonly X: string;
  /** 1 where an entry is known, 0 where it is missing; absent when all are known. */
  readonly known?: string;
  /** Half scores of the code 0. */
  readonly start: string;
  /** The code 0. */
  readonly origin: string;
  /** H x H, about the inverse Hessian. */
  readonly metric: string;
  readonly radius: number;
  readonly loss: 'cross-entropy' | 'squared';
}

/**
 * Preconditioned conjugate gradients (Polak-Ribiere, never with a negative factor), all rows side by side,
 * each with a step length of its own: Newton's along the direction, as far as the box allows. A direction
 * that does not descend gets length 0; the gradient then stays, and the next step starts afresh with the
 * factor 0. Gives the codes.
 *
 * Steps are written out one after the other: runtimes are several times slower at loops.
 */
export function conjugateGradients(graph: GraphBuilder, problem: Problem, steps: number): string {
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
    if (step < steps) M = graph.apply('Add', [M, graph.apply('Mul', [length, U])]);
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
 * slope / curvature, within [0, as far as no score changes by more than 8]: beyond that the curvature at the
 * start says nothing. Cross-entropy has curvature sum (1 - T^2) U^2; for the squared loss the bound 2 sum U^2
 * is used, with which a step can never go too far.
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
  // A hair more than there is, so that rounding cannot leave the number just inside; the clip puts it on the
  // edge.
  const room = graph.apply('Sub', [graph.number(radius * (1 + 1e-6)), towards]);
  const speed = graph.apply('Max', [graph.apply('Abs', [D]), graph.number(TINY)]);
  return graph.reduce('ReduceMin', graph.apply('Div', [room, speed]));
}

const TINY = 1e-30;
const LARGEST_FACTOR = 10;
/** No step changes a score by more than this. */
const FARTHEST = 8;

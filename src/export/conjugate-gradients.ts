import type { GraphBuilder } from './graph.ts';
import { roomInBox, stepLength, TINY } from './step-length.ts';

/** The encoding problem of Prop. 2 by the names of its parts in a graph. */
interface Problem {
  /** Half the weights, V x H: tanh of a score is the reconstruction, residual times A the gradient. */
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
  /** 1 x H: the diagonal of the metric. */
  readonly scales: string;
  readonly radius: number;
  readonly loss: 'cross-entropy' | 'squared';
}

/**
 * Preconditioned conjugate gradients (Polak-Ribiere, never with a negative factor), all rows side by side,
 * each with a step length of its own. Gives the codes.
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
    D = descending(graph, problem, { E, G, D });

    let U = graph.timesTranspose(D, A);
    if (known) U = graph.apply('Mul', [U, known]);
    const slope = graph.apply('Max', [graph.apply('Sub', [zero, graph.dot(G, D)]), zero]);
    const length = stepLength(graph, { loss, slope, X, M, T, U, room: roomInBox(graph, E, D, radius) });
    E = graph.clip(graph.apply('Add', [E, graph.apply('Mul', [length, D])]), -radius, radius);
    if (step < steps) M = graph.apply('Add', [M, graph.apply('Mul', [length, U])]);
    before = { G, square, D };
  }
  return E;
}

/**
 * The direction without what would leave the box at once. What is left may not descend, because the metric
 * ties units together, and the row would be stuck. Then it is steepest descent in the diagonal of the metric,
 * all of whose numbers stay in the box.
 */
function descending(
  graph: GraphBuilder,
  { scales, radius }: Problem,
  { E, G, D }: { readonly E: string; readonly G: string; readonly D: string },
): string {
  const zero = graph.number(0);
  const inside = graph.apply('Where', [atBound(graph, E, graph.apply('Add', [E, D]), radius), zero, D]);
  const rises = graph.apply('Equal', [graph.apply('Min', [graph.dot(G, inside), zero]), zero]);
  const steepest = graph.apply('Sub', [zero, graph.apply('Mul', [G, scales])]);
  return graph.apply('Where', [rises, steepest, inside]);
}

/** True where a code lies on the box's edge and moving to `target` would leave it. */
function atBound(graph: GraphBuilder, E: string, target: string, radius: number): string {
  return graph.apply('Equal', [graph.clip(target, -radius, radius), E]);
}

const LARGEST_FACTOR = 10;

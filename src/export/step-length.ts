import type { GraphBuilder } from './graph.ts';

/**
 * A line from a code along a direction, by the names of its parts in a graph. Numbers and lengths are one a
 * row.
 */
interface Line {
  readonly loss: 'cross-entropy' | 'squared';
  /** How fast the loss falls along the direction, at the start of the line. */
  readonly slope: string;
  /** Entries -1 to 1. */
  readonly X: string;
  /** Half scores and reconstructions at the start of the line. */
  readonly M: string;
  readonly T: string;
  /** Change of the half scores along the line. */
  readonly U: string;
  /** How far the line stays in the box. */
  readonly room: string;
}

/**
 * How far to go: Newton's length, corrected by the slope found there. For the squared loss the bound
 * 2 sum U^2 on the curvature is used, with which a step can never go too far.
 */
export function stepLength(graph: GraphBuilder, line: Line): string {
  const { loss, slope, U, room } = line;
  const squares = graph.apply('Max', [graph.reduce('ReduceSumSquare', U), graph.number(TINY)]);
  if (loss === 'squared') {
    const bound = graph.apply('Mul', [squares, graph.number(2)]);
    return graph.apply('Min', [graph.apply('Div', [slope, bound]), room]);
  }
  const newton = graph.apply('Min', [newtonLength(graph, line, squares), room]);
  return corrected(graph, line, newton, graph.apply('Div', [slope, squares]));
}

/**
 * slope / curvature, where cross-entropy has curvature sum (1 - T^2) U^2, as far as no score changes by more
 * than 8: beyond that the curvature at the start says nothing.
 */
function newtonLength(graph: GraphBuilder, { slope, T, U }: Line, squares: string): string {
  const lost = graph.reduce('ReduceSumSquare', graph.apply('Mul', [T, U]));
  // Where everything is saturated the difference drowns in rounding: it counts as a millionth of its bound.
  const least = graph.apply('Mul', [squares, graph.number(1e-6)]);
  const curvature = graph.apply('Max', [graph.apply('Sub', [squares, lost]), least]);
  const largest = graph.apply('Max', [
    graph.reduce('ReduceMax', graph.apply('Abs', [U])),
    graph.number(TINY),
  ]);
  const farthest = graph.apply('Div', [graph.number(FARTHEST / 2), largest]);
  return graph.apply('Min', [graph.apply('Div', [slope, curvature]), farthest]);
}

/**
 * Where the secant through the slopes at 0 and at a length meets 0, at most twice that length. If the loss
 * rises there, that length itself; if it rises there too, the `safe` one, which the largest possible
 * curvature allows, and which may be next to nothing. Without this, a row whose curvature is small at one end
 * of its line and large at the other would go back and forth between both.
 */
function corrected(
  graph: GraphBuilder,
  { slope, X, M, U, room }: Line,
  length: string,
  safe: string,
): string {
  const rise = (at: string) => {
    const T = graph.apply('Tanh', [graph.apply('Add', [M, graph.apply('Mul', [at, U])])]);
    return graph.dot(graph.apply('Sub', [T, X]), U);
  };
  const least = graph.apply('Max', [
    graph.apply('Mul', [slope, graph.number(1 / MOST_STRETCH)]),
    graph.number(TINY),
  ]);
  const there = rise(length);
  const bend = graph.apply('Max', [graph.apply('Add', [slope, there]), least]);
  const secant = graph.apply('Min', [graph.apply('Mul', [length, graph.apply('Div', [slope, bend])]), room]);
  const allowed = graph.apply('Mul', [slope, graph.number(ALLOWED_RISE)]);
  const falls = (end: string) => {
    const rises = graph.apply('Max', [graph.apply('Sub', [end, allowed]), graph.number(0)]);
    return graph.apply('Equal', [rises, graph.number(0)]);
  };
  const shorter = graph.apply('Where', [falls(there), length, graph.apply('Min', [safe, secant])]);
  return graph.apply('Where', [falls(rise(secant)), secant, shorter]);
}

/**
 * How far a row can go until the first of its numbers meets the box: min over h of (radius - e sign(d)) /
 * |d|.
 */
export function roomInBox(graph: GraphBuilder, E: string, D: string, radius: number): string {
  const towards = graph.apply('Mul', [E, graph.apply('Sign', [D])]);
  // A hair more than there is, so that rounding cannot leave the number just inside; the clip puts it on the
  // edge.
  const room = graph.apply('Sub', [graph.number(radius * (1 + 1e-6)), towards]);
  const speed = graph.apply('Max', [graph.apply('Abs', [D]), graph.number(TINY)]);
  return graph.reduce('ReduceMin', graph.apply('Div', [room, speed]));
}

/** Stands in for 0 in denominators. */
export const TINY = 1e-30;
/** Newton's step changes no score by more than this. */
const FARTHEST = 8;
/**
 * How many times the length may be gone where the loss still falls there; four times left some rows far
 * behind.
 */
const MOST_STRETCH = 2;
/** The loss may rise with this share of its first slope at the end of a step: the lowest point is close. */
const ALLOWED_RISE = 0.1;

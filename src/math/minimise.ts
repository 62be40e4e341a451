import type { Loss } from '../losses/loss.ts';
import { dot, row, times } from './matrix.ts';
import type { Minimum, NewtonOptions, WellProblem, Wells } from './newton.ts';
import { minimiseSmooth, valueAt } from './newton.ts';

export interface WellMinimum extends Minimum {
  /** u_k, a slope of Psi at the score a_k.z; at a kink the one that makes z optimal. The dual solution. */
  readonly slopes: Float64Array;
}

export interface SolverOptions {
  /** Stop when the projected gradient is this small. */
  readonly tolerance?: number;
  readonly maxIterations?: number;
}

/**
 * min over z of scale sum_k Psi(a_k.z) - c.z + (ridge/2) |z|^2 between the bounds, for any loss.
 *
 * Where Psi is smooth this is Newton's method. Where it has kinks (Hamming), the method of multipliers:
 * scores y_k with their own wells, tied to y_k = a_k.z by multipliers u_k, so that each round minimises a
 * smooth (Moreau) envelope of Psi. Where Psi is piecewise linear it ends after finitely many rounds.
 */
export function minimiseWells(loss: Loss, problem: WellProblem, options: SolverOptions = {}): WellMinimum {
  const newton = { tolerance: options.tolerance ?? 1e-11, maxIterations: options.maxIterations ?? 300 };
  return Number.isFinite(loss.curvature)
    ? minimiseSmoothLoss(loss, problem, newton)
    : minimiseWithKinks(loss, problem, newton);
}

function minimiseSmoothLoss(loss: Loss, problem: WellProblem, newton: NewtonOptions): WellMinimum {
  const found = minimiseSmooth(problem, sameWell(loss), newton);
  return { ...found, slopes: times(problem.A, found.z).map((m) => loss.psiPrime(m)) };
}

function minimiseWithKinks(loss: Loss, problem: WellProblem, newton: NewtonOptions): WellMinimum {
  const { A } = problem;
  const u = new Float64Array(A.rows);
  const tau = 0.5;
  let found: Minimum | undefined;
  let iterations = 0;
  let apart = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 400 && apart > 1e-10; round++) {
    const start = found ? found.z : problem.start;
    found = minimiseSmooth({ ...problem, start }, envelopes(loss, u, tau), newton);
    iterations += found.iterations;
    apart = 0;
    for (let k = 0; k < A.rows; k++) {
      const m = dot(row(A, k), found.z);
      const y = prox(loss, m + tau * u[k], tau);
      u[k] += (m - y) / tau;
      apart = Math.max(apart, Math.abs(m - y));
    }
  }
  const z = found!.z;
  return {
    z,
    value: valueAt(problem, sameWell(loss), z),
    optimality: Math.max(found!.optimality, apart),
    iterations,
    slopes: u,
  };
}

function sameWell(loss: Loss): Wells {
  return {
    value: (_k, m) => loss.psi(m),
    slope: (_k, m) => loss.psiPrime(m),
    curvature: (_k, m) => loss.psiSecond(m),
  };
}

/** min over y of Psi(y) + u_k (m - y) + (m - y)^2 / (2 tau), as smooth wells in m. */
function envelopes(loss: Loss, u: Float64Array, tau: number): Wells {
  return {
    value: (k, m) => {
      const y = prox(loss, m + tau * u[k], tau);
      return loss.psi(y) + u[k] * (m - y) + (m - y) ** 2 / (2 * tau);
    },
    slope: (k, m) => u[k] + (m - prox(loss, m + tau * u[k], tau)) / tau,
    curvature: (k, m) => {
      // A secant of Psi' sees a kink as a very large curvature, which is what a kink is to its envelope.
      const y = prox(loss, m + tau * u[k], tau);
      const bend = (loss.psiPrime(y + 1e-6) - loss.psiPrime(y - 1e-6)) / 2e-6;
      return bend / (1 + tau * bend);
    },
  };
}

/**
 * argmin over y of tau Psi(y) + (y - m)^2 / 2: the root of the increasing y + tau Psi'(y) - m, kinks
 * included.
 */
function prox(loss: Loss, m: number, tau: number): number {
  let low = m - tau;
  let high = m + tau;
  for (let step = 0; step < 80; step++) {
    const y = (low + high) / 2;
    if (y <= low || y >= high) break;
    if (y + tau * loss.psiPrime(y) <= m) low = y;
    else high = y;
  }
  return (low + high) / 2;
}

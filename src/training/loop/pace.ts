/**
 * Limits reports of progress: the first of each phase is passed on at once, others at most every 175 ms. With
 * at most four changes of phase, that is no more than ten per second.
 */
export class Pace<P extends { readonly phase: string }> {
  readonly #report: ((progress: P) => void) | undefined;
  readonly #now: () => number;
  #phase = '';
  #reported = Number.NEGATIVE_INFINITY;

  constructor(report: ((progress: P) => void) | undefined, now: () => number = () => performance.now()) {
    this.#report = report;
    this.#now = now;
  }

  /** Whether a report of this phase would be passed on; if not, it need not be computed. */
  due(phase: string): boolean {
    return this.#report !== undefined && (phase !== this.#phase || this.#now() - this.#reported >= INTERVAL);
  }

  /** Passes on the last report, whenever it comes. */
  last(progress: P): void {
    this.#report?.(progress);
  }

  report(progress: P, phase: string = progress.phase): void {
    if (!this.due(phase)) return;
    this.#phase = phase;
    this.#reported = this.#now();
    this.#report?.(progress);
  }
}

const INTERVAL = 175;

/** Limits reports of the share of work that is done in the same way; the share 1 is always passed on. */
export function paced(
  report: ((fraction: number) => void) | undefined,
  now?: () => number,
): (fraction: number) => void {
  const pace = new Pace<{ phase: string; fraction: number }>(
    report && (({ fraction }) => report(fraction)),
    now,
  );
  return (fraction) => pace.report({ phase: fraction < 1 ? 'work' : 'end', fraction });
}

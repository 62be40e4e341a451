/**
 * Progress as it is told: the first of each phase at once, others no more often than every 150 ms. With at
 * most three changes of phase nobody hears of more than ten in a second.
 */
export class Pace<P extends { readonly phase: string }> {
  readonly #tell: ((progress: P) => void) | undefined;
  readonly #now: () => number;
  #phase = '';
  #told = Number.NEGATIVE_INFINITY;

  constructor(tell: ((progress: P) => void) | undefined, now: () => number = () => performance.now()) {
    this.#tell = tell;
    this.#now = now;
  }

  /** Whether somebody would hear of a progress of this phase: where not, it need not be looked at. */
  due(phase: string): boolean {
    return this.#tell !== undefined && (phase !== this.#phase || this.#now() - this.#told >= INTERVAL);
  }

  /** The last of all, which is always told. */
  last(progress: P): void {
    this.#tell?.(progress);
  }

  tell(progress: P, phase: string = progress.phase): void {
    if (!this.due(phase)) return;
    this.#phase = phase;
    this.#told = this.#now();
    this.#tell?.(progress);
  }
}

const INTERVAL = 150;

/** Shares of work that is done, told no more often than progress is; 1 always. */
export function paced(
  tell: ((fraction: number) => void) | undefined,
  now?: () => number,
): (fraction: number) => void {
  const pace = new Pace<{ phase: string; fraction: number }>(tell && (({ fraction }) => tell(fraction)), now);
  return (fraction) => pace.tell({ phase: fraction < 1 ? 'work' : 'end', fraction });
}

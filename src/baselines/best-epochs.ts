/** Mean losses at the end of an epoch, in nats a row. */
export interface EpochLosses {
  /** Counts from 1. */
  readonly epoch: number;
  readonly seconds: number;
  /** Of the training rows as they were visited, each under the weights of that moment. */
  readonly loss: number;
  /** Of the test rows and of the validation rows under the weights at the end of the epoch, where there are any. */
  readonly test?: number;
  readonly validation?: number;
}

/**
 * Keeps the state of the epoch with the lowest test loss and of that with the lowest validation loss, and says when
 * to give up. The first choice looks at test rows and flatters itself; the second does not.
 */
export class BestEpochs<State> {
  readonly #patience: number;
  onTest?: EpochLosses & { readonly state: State };
  onValidation?: EpochLosses & { readonly state: State };
  #misses = 0;

  /** `patience`: epochs in a row in which neither choice changed, after which it is time to stop. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** Takes note of an epoch; `state` is called where it is to be kept. Whether to go on. */
  async add(entry: EpochLosses, state: () => State | Promise<State>): Promise<boolean> {
    const { test = Number.POSITIVE_INFINITY, validation = Number.POSITIVE_INFINITY } = entry;
    const better = {
      test: test < (this.onTest?.test ?? Number.POSITIVE_INFINITY),
      validation: validation < (this.onValidation?.validation ?? Number.POSITIVE_INFINITY),
    };
    const improved = better.test || better.validation;
    const kept = improved ? { ...entry, state: await state() } : undefined;
    if (better.test) this.onTest = kept;
    if (better.validation) this.onValidation = kept;
    this.#misses = improved ? 0 : this.#misses + 1;
    const judged = entry.test !== undefined || entry.validation !== undefined;
    return !(judged && this.#misses >= this.#patience);
  }
}

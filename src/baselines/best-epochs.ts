/** Mean losses at the end of an epoch, in nats per row. */
export interface EpochLosses {
  /** Counts from 1. */
  readonly epoch: number;
  readonly seconds: number;
  /** Loss of the training rows as they were visited, each under the weights of that moment. */
  readonly loss: number;
  /**
   * Losses of the test and of the validation rows under the weights at the end of the epoch, if there are
   * any.
   */
  readonly test?: number;
  readonly validation?: number;
}

/**
 * Keeps the state of the epoch with the lowest test loss and of that with the lowest validation loss. The
 * first choice looks at test rows and flatters itself; the second does not.
 */
export class BestEpochs<State> {
  onTest?: EpochLosses & { readonly state: State };
  onValidation?: EpochLosses & { readonly state: State };

  /**
   * Notes an epoch and keeps its `state` if it is the best. Returns whether; undefined if nothing was
   * measured.
   */
  async add(entry: EpochLosses, state: () => State | Promise<State>): Promise<boolean | undefined> {
    const { test = Number.POSITIVE_INFINITY, validation = Number.POSITIVE_INFINITY } = entry;
    const better = {
      test: test < (this.onTest?.test ?? Number.POSITIVE_INFINITY),
      validation: validation < (this.onValidation?.validation ?? Number.POSITIVE_INFINITY),
    };
    const improved = better.test || better.validation;
    const kept = improved ? { ...entry, state: await state() } : undefined;
    if (better.test) this.onTest = kept;
    if (better.validation) this.onValidation = kept;
    const judged = entry.test !== undefined || entry.validation !== undefined;
    return judged ? improved : undefined;
  }
}

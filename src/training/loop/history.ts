/** What was measured at the end of an epoch. Losses are means over rows, in the unit of the loss (nats). */
export interface HistoryEntry {
  readonly epoch: number;
  readonly seconds: number;
  /** Training loss of the rows when they were visited, at their codes of that moment. */
  readonly loss: number;
  /** The objective at the end of the epoch: the slack (1/2) sum_v gamma(w_v, b_v), if it was measured. */
  readonly slack?: number;
  /** Mean Frank-Wolfe gap of the training codes under the same weights, if it was measured. */
  readonly meanGap?: number;
  /** Step length of the weights. */
  readonly rate: number;
  /** Loss of the validation rows, if there are any. */
  readonly validation?: number;
  /** Loss of the test rows, which only a baseline measures while it learns. */
  readonly test?: number;
}

/** Why learning ended. */
export type Stopped = 'converged' | 'epochs' | 'time' | 'validation' | 'aborted';

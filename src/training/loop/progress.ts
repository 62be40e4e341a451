/** Progress of learning. */
export interface Progress {
  /** `refine`: rounds over all rows, and proofs of weights. `finish`: all codes are found and proven. */
  readonly phase: 'start' | 'ridge' | 'learn' | 'refine' | 'finish' | 'neighbours';
  /** Share of the phase that is done, 0 to 1. */
  readonly fraction: number;
  readonly epoch: number;
  /** Mean training loss of the current epoch so far. */
  readonly loss: number;
  readonly validation?: number;
  /** Mean gap of the training codes, when it was last measured. */
  readonly meanGap?: number;
  readonly rate: number;
  /** Rows per second since the run was started or resumed. */
  readonly rowsPerSecond: number;
  /** Seconds of the whole run, including those before it was resumed. */
  readonly seconds: number;
}

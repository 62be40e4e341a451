/** How far learning has come. */
export interface Progress {
  readonly phase: 'start' | 'ridge' | 'learn' | 'finish';
  /** Share of the run that is done, 0 to 1. */
  readonly fraction: number;
  readonly epoch: number;
  /** Mean training loss of the present epoch so far. */
  readonly loss: number;
  readonly validation?: number;
  /** Mean gap of the training codes, when it was last measured. */
  readonly meanGap?: number;
  readonly rate: number;
  /** Of this stretch of the run. */
  readonly rowsPerSecond: number;
  /** Of all stretches together, where a run was resumed. */
  readonly seconds: number;
}

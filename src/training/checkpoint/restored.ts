import type { Floats } from '../../engine/engine.ts';
import { counted } from '../../rows/counted.ts';
import type { TrainerState } from '../loop/trainer.ts';
import { OtherRunError } from './other-run.ts';

/** Reads a trainer's arrays from a checkpoint and refuses those of the wrong size. */
export const restored = {
  /** Writes stored numbers back into the engine. */
  floats(to: Floats, { arrays }: Pick<TrainerState, 'arrays'>, name: string): void {
    to.write(restored.array({ arrays }, name, to.length, Float32Array));
  },
  array<T extends Float32Array | Float64Array>(
    { arrays }: Pick<TrainerState, 'arrays'>,
    name: string,
    length: number,
    type: new (length: number) => T,
  ): T {
    const values = arrays[name];
    if (values instanceof type && values.length === length && values.every(Number.isFinite)) return values;
    const there = values === undefined ? 'absent' : `${counted(values.length, 'number')}`;
    throw new OtherRunError(
      'resume: the checkpoint',
      `${name} is ${there} there, ${length} finite numbers here`,
    );
  },
};

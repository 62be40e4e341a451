import { readSafetensors, writeSafetensors } from 'pc-ae/formats';
import type { Work } from './bench.ts';

/** The codes of a shard's rows, each with its loss and the proof of how good it is. */
export const encodeWork: Work = async (task, bench) => {
  const model = await bench.model(task.inputs.model);
  const tolerance = Number(task.options.tolerance);
  const { n, H, codes, losses, gaps } = await model.encode(await bench.rows(task), {
    engine: bench.engine,
    tolerance,
  });
  return {
    codes: writeSafetensors([
      ['codes', { type: 'F32', shape: [n, H], data: codes }],
      ['losses', { type: 'F64', shape: [n], data: losses }],
      ['gaps', { type: 'F64', shape: [n], data: gaps }],
    ]),
  };
};

export interface ShardCodes {
  readonly n: number;
  readonly H: number;
  readonly codes: Float32Array;
  readonly losses: Float64Array;
  readonly gaps: Float64Array;
}

/** What `encodeWork` has written. */
export function readCodes(bytes: Uint8Array): ShardCodes {
  const { tensors } = readSafetensors(bytes, 'codes of a shard');
  const [codes, losses, gaps] = ['codes', 'losses', 'gaps'].map((name) => tensors.get(name)!);
  const [n, H] = codes.shape;
  return {
    ...{ n, H, codes: codes.data as Float32Array },
    ...{ losses: losses.data as Float64Array, gaps: gaps.data as Float64Array },
  };
}

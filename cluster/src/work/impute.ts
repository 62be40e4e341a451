import { impute } from 'pc-ae';
import { writeSafetensors } from 'pc-ae/formats';
import { sliceRows } from 'pc-ae/rows';
import { toJson } from '../json.ts';
import type { Work } from './bench.ts';

/** How far codes are best drawn towards 0, by known entries of some rows that are hidden and guessed. */
export const shrinkWork: Work = async (task, bench) => {
  const model = await bench.model(task.inputs.model);
  const rows = await bench.rows(task);
  const some = sliceRows(rows, 0, Math.min(rows.n, SOME));
  const { shrink } = await impute(model, some, { engine: bench.engine });
  return { shrink: toJson({ shrink }) };
};

/** A shard's rows with what is unknown filled in. */
export const imputeWork: Work = async (task, bench) => {
  const model = await bench.model(task.inputs.model);
  const shrink = Number(task.options.shrink);
  const { n, V, values } = await impute(model, await bench.rows(task), { engine: bench.engine, shrink });
  return { rows: writeSafetensors([['values', { type: 'F32', shape: [n, V], data: values }]]) };
};

/** Rows that tell how boldly entries are filled in. */
const SOME = 2000;

import { normaliseGroups } from '../rows/groups.ts';
import { asRows, type RowsInput } from '../rows/input.ts';
import { entry, type RealRows, type Rows } from '../rows/rows.ts';
import type { EncodeOptions, PCAE } from './model.ts';

/**
 * Rows with their unknown entries filled in: each row is encoded by what is known of it and decoded; known entries stay
 * as they are. A filled entry is the mean of its bit, in [-1, 1]: (1 + x) / 2 is the probability of a one. Among the
 * columns of one category these probabilities add up to one.
 */
export async function impute(model: PCAE, rows: RowsInput, options: EncodeOptions = {}): Promise<RealRows> {
  const checked = asRows(rows);
  const decoded = await model.reconstruct(checked, options);
  return fillUnknown(checked, model.groups ? normaliseGroups(decoded, model.V, model.groups) : decoded);
}

/** The rows, with reconstructions (n x V) in the place of what is unknown. */
export function fillUnknown(rows: Rows, decoded: Float32Array): RealRows {
  const { n, V } = rows;
  const values = new Float32Array(n * V);
  for (let k = 0; k < values.length; k++) {
    const x = entry(rows, Math.floor(k / V), k % V);
    values[k] = Number.isNaN(x) ? decoded[k] : x;
  }
  return { kind: 'real', n, V, values };
}

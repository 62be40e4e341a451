import { counted } from '../rows/counted.ts';
import { badFile } from '../rows/errors.ts';
import { asVectors, costBetween, type VectorsInput } from '../vectors/vectors.ts';
import type { CodeModel } from './code-models.ts';
import { NpyRows } from './npy-rows.ts';
import type { Answer } from './search-index.ts';

/** The k of each answer that are nearest by the vectors themselves, which stand in the file at `path`. */
export async function reranked(
  { metric, V }: CodeModel,
  answers: readonly Answer[],
  input: VectorsInput,
  { path, k }: { readonly path: string; readonly k: number },
): Promise<Answer[]> {
  if (metric === undefined)
    throw new RangeError('search: only vectors can be re-ranked, this is an index of bits');
  const queries = asVectors(input, 'queries', true);
  const file = await NpyRows.open(path);
  try {
    if (file.V !== V) {
      const holds = `holds vectors of ${counted(file.V, 'number')}`;
      throw badFile(path, `${holds}; those of the index have ${V}`);
    }
    const out: Answer[] = [];
    for (const [q, { ids, numbers }] of answers.entries()) {
      const query = queries.values.subarray(q * queries.V, (q + 1) * queries.V);
      const costs: number[] = [];
      for (const number of numbers) costs.push(costBetween(query, await file.row(number), metric));
      const order = [...costs.keys()].sort((a, b) => costs[a] - costs[b] || a - b).slice(0, k);
      const inOrder = <T>(values: readonly T[]) => order.map((i) => values[i]);
      out.push({ ids: inOrder(ids), numbers: inOrder(numbers), costs: inOrder(costs) });
    }
    return out;
  } finally {
    await file.close();
  }
}

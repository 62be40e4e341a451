import { reorderCodes } from '../bits/pack.ts';
import { codeModel, openSearchable } from '../node/code-models.ts';
import { counted } from '../rows/counted.ts';
import { badFile } from '../rows/errors.ts';
import { openScores, openSearch } from '../search/node/index.ts';
import { UsageError } from './errors.ts';
import { openPackedCodes, type PackedOptions, withoutSpareBits } from './packed-codes.ts';
import { answerLines } from './search-index.ts';
import type { Session } from './session.ts';
import { checkedSearchable, readQueries } from './vectors.ts';

interface Options extends PackedOptions {
  readonly model: string;
  readonly distance?: 'likelihood' | 'hamming';
  readonly k?: number;
  readonly radius?: number;
  readonly threads?: number;
}

/** Prints the codes of least cost for each row, by the model that made them. */
export async function searchByModel(
  codesPath: string,
  queriesPath: string,
  options: Options,
  session: Session,
): Promise<void> {
  const { k = 10, threads, distance = 'likelihood' } = options;
  if (options.radius !== undefined)
    throw new UsageError('--model finds the nearest codes: use -k instead of --radius');
  const model = codeModel(checkedSearchable(await openSearchable(options.model), options.model));
  if (distance === 'hamming' && model.kind === 'vectors')
    throw new UsageError(
      'codes of vectors have no Hamming distance: the values of their half bytes are names',
    );
  const { signal } = session.io;
  const base = await openPackedCodes(codesPath, options);
  const codes = reorderCodes(withoutSpareBits(base, model.H), 'lsb');
  if (codes.H !== model.H) {
    throw badFile(
      codesPath,
      `holds codes of ${counted(codes.H, 'bit')}; those of ${options.model} have ${model.H}`,
    );
  }
  const { data, n, ids } = await readQueries(model, queriesPath, signal);
  const found = async () => {
    if (distance === 'hamming') {
      const search = await openSearch(codes, { threads });
      const { distances, ...nearest } = await search.nearest(await model.encode(data, { signal }), k);
      await search.close();
      return { ...nearest, costs: distances };
    }
    const search = await openScores(codes, await model.constants(codes), { threads });
    const nearest = await search.nearest(await model.tables(data), k);
    await search.close();
    return nearest;
  };
  const { indices, costs, k: most } = await found();
  const answers = Array.from({ length: n }, (_, q) => ({
    query: ids?.at(q) ?? q,
    codes: Array.from(indices.subarray(q * most, (q + 1) * most), (code) => base.ids?.at(code) ?? code),
    costs: Array.from(costs.subarray(q * most, (q + 1) * most)),
  }));
  const lines = answers.map(({ query, codes: names, costs: paid }) => answerLines(query, names, paid));
  const facts = { n: codes.n, H: codes.H, queries: n, answers, seconds: session.seconds };
  const column = distance === 'hamming' ? 'distance' : 'cost';
  await session.result(facts, `query,code,${column}\n${lines.join('')}`);
}

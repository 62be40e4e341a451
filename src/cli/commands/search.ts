import { type Command, Option } from 'commander';
import type { BitOrder, PackedCodes } from '../../bits/pack.ts';
import type { OpenOptions } from '../../formats/options.ts';
import { counted } from '../../rows/counted.ts';
import { badFile } from '../../rows/errors.ts';
import { rowBytes } from '../../rows/rows.ts';
import { openSearch } from '../../search/node/index.ts';
import type { CodeSearch } from '../../search/search.ts';
import { document } from '../document.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { openPackedCodes, orderOption, withoutSpareBits } from '../packed-codes.ts';
import { threadsOption, whole } from '../parse.ts';
import { timeLeft } from '../progress.ts';
import { answerLines, isIndex, searchIndex } from '../search-index.ts';
import { Session } from '../session.ts';

interface SearchCommandOptions {
  readonly k?: number;
  readonly radius?: number;
  readonly values?: OpenOptions['values'];
  readonly order: BitOrder;
  readonly threads?: number;
  readonly only?: string;
  readonly rerank?: string;
  readonly shortlist?: number;
  readonly model?: string;
  readonly distance?: 'likelihood' | 'hamming';
}

/** The answer to one query, nearest first. */
interface Answer {
  readonly query: string | number;
  readonly codes: (string | number)[];
  readonly distances: number[];
}

export function addSearch(program: Command, io: Io): void {
  const command = program
    .command('search')
    .description(
      'Finds the nearest codes and prints one CSV line per code found, nearest first. An index, or codes with the ' +
        '--model that made them, are searched by likelihood: the queries are rows or vectors like those that were ' +
        'encoded, and the lines are query,id,cost for an index and query,code,cost with --model. Codes alone are searched ' +
        'by Hamming distance: the queries are codes too, and the lines are query,code,distance. Equally near codes come in ' +
        'the order of the file. Queries and codes are named by their ids if the file has them, otherwise by their row, ' +
        'counted from 0.',
    )
    .argument(
      '<codes>',
      'a search index, or codes of bits: .npy of bytes (numpy.packbits), .bits, a table of 0 and 1',
    )
    .argument('<queries>', 'rows like those that were encoded; for codes alone, codes of as many bits')
    .option('--model <file>', 'the model that made the codes: the queries are rows, compared by likelihood')
    .addOption(
      new Option(
        '--distance <name>',
        'with --model, for bits: compare by likelihood, or encode the queries and compare codes by hamming distance',
      )
        .choices(['likelihood', 'hamming'])
        .default(undefined, 'likelihood'),
    )
    .option('-k, --k <count>', 'how many of the nearest to find (default: 10)', whole(1))
    .option(
      '--radius <bits>',
      'instead of -k: find all codes that differ in at most this many bits',
      whole(0),
    )
    .addOption(
      new Option('--values <kind>', 'what the entries of the files stand for, if it is not clear').choices([
        'bits',
        'signs',
        'packed',
      ]),
    )
    .addOption(orderOption())
    .option(
      '--only <ids>',
      'with an index: search only these ids, separated by commas, or @file with one per line',
    )
    .option(
      '--rerank <file>',
      'with an index of vectors: sort a shortlist by the vectors themselves, from this .npy file',
    )
    .option('--shortlist <count>', 'with --rerank: length of the shortlist (default: 10 times -k)', whole(1))
    .addOption(threadsOption())
    .action(async (codesPath: string, queriesPath: string, options: SearchCommandOptions) => {
      const session = new Session(command, io);
      const { k, radius, threads } = options;
      if (k !== undefined && radius !== undefined) throw new UsageError('use -k or --radius, not both');
      if (await isIndex(codesPath)) return searchIndex(codesPath, queriesPath, options, session);
      const { only, rerank, shortlist } = options;
      if (only !== undefined || rerank !== undefined || shortlist !== undefined)
        throw new UsageError(`--only, --rerank and --shortlist are for an index; ${codesPath} holds codes`);
      if (options.distance !== undefined && options.model === undefined)
        throw new UsageError('--distance is for --model; codes alone are compared by Hamming distance');
      if (options.model !== undefined) {
        const { searchByModel } = await import('../search-model.ts');
        return searchByModel(codesPath, queriesPath, { ...options, model: options.model }, session);
      }
      const base = await openPackedCodes(codesPath, options);
      const asked = await openPackedCodes(queriesPath, options);
      const codes = withoutSpareBits(base, asked.codes.H);
      const queries = withoutSpareBits(asked, base.codes.H);
      const { n, H } = codes;
      if (queries.H !== H) {
        throw badFile(
          queriesPath,
          `holds codes of ${counted(queries.H, 'bit')}; those of ${codesPath} have ${H}`,
        );
      }
      const search = await openSearch(codes, { threads });
      const answers: Answer[] = [];
      if (!session.json) await io.out('query,code,distance\n');
      try {
        for (let first = 0; first < queries.n; first += PORTION) {
          io.signal.throwIfAborted();
          const part = portion(queries, first);
          const found = (await answersOf(search, part, options)).map((answer, i) => ({
            query: asked.ids?.at(first + i) ?? first + i,
            codes: answer.codes.map((code) => base.ids?.at(code) ?? code),
            distances: answer.distances,
          }));
          if (session.json) answers.push(...found);
          else await io.out(found.map((one) => answerLines(one.query, one.codes, one.distances)).join(''));
          const done = (first + part.n) / queries.n;
          session.progress.update(() => `searching: ${timeLeft(done, session.seconds)}`);
        }
      } finally {
        session.progress.clear();
        await search.close();
      }
      const { seconds } = session;
      if (session.json) await session.result({ n, H, queries: queries.n, answers, seconds }, '');
    });
  document(command, {
    examples: {
      'pcae search words.index queries.npy -k 10': 'the ten nearest rows of an index (pcae index makes one)',
      'pcae search words.index queries.npy --rerank words.npy': 'in the order of the vectors themselves',
      'pcae search codes.npy rows.csv --model bits.safetensors':
        'the codes under which each row is most likely',
      'pcae search codes.npy queries.npy -k 10': 'the ten nearest codes of each query',
      'pcae search codes.bits queries.bits --radius 3': 'all codes that differ in at most three bits',
    },
    json: {
      n: 'codes searched',
      H: 'bits of a code',
      queries: 'how many queries there were',
      answers:
        '[{query, codes, distances}]: for each query the codes found, nearest first; by likelihood {query, codes or ids, costs}',
      seconds: 'wall-clock seconds',
    },
  });
}

/** Queries that are answered before anything is printed. */
const PORTION = 256;

function portion(queries: PackedCodes, first: number): PackedCodes {
  const n = Math.min(PORTION, queries.n - first);
  const width = rowBytes(queries.H);
  return { ...queries, n, bytes: queries.bytes.subarray(first * width, (first + n) * width) };
}

async function answersOf(search: CodeSearch, queries: PackedCodes, options: SearchCommandOptions) {
  const { k = 10, radius } = options;
  const found =
    radius === undefined ? await search.nearest(queries, k) : await search.within(queries, radius);
  return Array.from({ length: queries.n }, (_, i) => {
    const [start, end] =
      'k' in found ? [i * found.k, (i + 1) * found.k] : [found.starts[i], found.starts[i + 1]];
    return {
      codes: Array.from(found.indices.subarray(start, end)),
      distances: Array.from(found.distances.subarray(start, end)),
    };
  });
}

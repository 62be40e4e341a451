import type { Command } from 'commander';
import { formatShare } from '../../figures/numbers.ts';
import { writeAtomic } from '../../formats/node/atomic.ts';
import { openSource } from '../../formats/node/open.ts';
import type { OpenedSource } from '../../formats/options.ts';
import { schemaFlags } from '../../formats/table/flags.ts';
import { numberText, writtenValue } from '../../formats/write.ts';
import { counted } from '../../rows/counted.ts';
import { eachKnown } from '../../rows/entries.ts';
import { type NameList, sliceNames } from '../../rows/names.ts';
import type { Rows } from '../../rows/rows.ts';
import { inQuotes } from '../../rows/select.ts';
import { claimFile } from '../claim.ts';
import { addDataOptions, type DataOptions, dataLine, describeData, openOptions } from '../data.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { timeLeft } from '../progress.ts';
import { Session } from '../session.ts';
import { list, number, table } from '../text.ts';

interface InfoOptions extends DataOptions {
  readonly output?: string;
  readonly force?: boolean;
}

export function addInfo(program: Command, io: Io): void {
  const command = program
    .command('info')
    .description(
      'Reads the rows once and shows how they are read, as options; the shares of ones, missing entries and ' +
        'constant columns; and the first rows. With -o it writes the same reading as a file for --schema.',
    )
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input')
    .option('-o, --output <file>', 'write the schema to this file, for --schema')
    .option('--force', 'overwrite the file');
  addDataOptions(command).action(async (path: string, options: InfoOptions) => {
    const session = new Session(command, io);
    const { output, force } = options;
    await claimFile(session, output, force, [path]);
    const source = await openSource(path, openOptions(options, io.signal));
    const { n, V, image, columns, ids, schema } = source;
    const found = await count(source, session);
    const flags = schemaFlags(schema);
    if (output !== undefined) await writeAtomic(output, [`${JSON.stringify(schema)}\n`], { force });
    const names = (columns ?? []).slice(0, SHOWN);
    const facts = {
      ...describeData(source),
      flags,
      schema,
      image,
      columns: columns && names,
      ids: ids && sliceNames(ids, 0, SHOWN),
      idColumn: ids?.heading,
      ...found,
      output,
      seconds: session.seconds,
    };
    const few = (all: readonly string[], size: number) =>
      `${all.slice(0, 8).map(inQuotes).join(', ')}${size > 8 ? ', …' : ''}`;
    const constant =
      found.constantNames.length > 0 ? `: ${few(found.constantNames, found.constantColumns)}` : '';
    await session.result(
      facts,
      list([
        ['data', dataLine(source)],
        ['options', flags],
        ['pictures', image && `${image.width} x ${image.height}`],
        ['columns', columns && few(names, V)],
        ['row names', ids && rowNames(ids)],
        ['ones', `${formatShare(found.ones)} of all entries, ${number(found.onesPerRow)} of ${V} in a row`],
        ['missing', `${formatShare(found.missing)} of all entries`],
        ['constant columns', `${found.constantColumns} of ${V}${constant}`],
        [
          'base rates',
          `${number(found.entropy)} nats per row without a code, by how often each column is on (${counted(n, 'row')})`,
        ],
      ]) + firstRows(source, found.firstRows),
    );
  });
  document(command, {
    first: 'output schema layout header idColumn columns categorical ones zeros values',
    examples: {
      'pcae info plants.csv.gz': 'how a file is read, without learning from it',
      'pcae info orders.csv --layout long -o orders.json': 'declare a table once',
      'pcae train orders.csv --schema orders.json -H 16 -o m.safetensors': 'and use the declaration',
    },
    json: {
      name: 'the file',
      format: 'its format',
      n: 'rows',
      V: 'columns',
      kind: 'bits or real',
      values: 'what its numbers stand for',
      binarize: 'how grey values became bits: sample, threshold or none',
      flags: 'the options that declare this reading',
      schema: 'the same as data, which --schema takes from a file',
      image: '{height, width}, if a row is a picture',
      columns: `names of the first ${SHOWN} columns, if there are any`,
      ids: `names of the first ${SHOWN} rows, if there are any`,
      idColumn: 'the column that names the rows, if it has a name',
      ones: 'share of ones among the known entries',
      onesPerRow: 'mean number of ones in a row',
      missing: 'share of missing entries',
      constantColumns: 'columns that never change',
      constantNames: `names of the first ${SHOWN} of them, where columns have names`,
      firstRows: `the first ${ROWS} rows: the first ${COLUMNS} entries of each as numbers from 0 to 1, null where missing`,
      entropy:
        'nats per row of columns taken one by one: what knowing only base rates costs, missing entries left out',
      output: 'the schema file written, if any',
      seconds: 'wall-clock seconds',
    },
  });
}

/** Names that JSON shows; rows and columns that are shown as a table. */
const SHOWN = 20;
const ROWS = 5;
const COLUMNS = 12;

/** Where the names of rows come from, and the first of them: a column that should be data shows here. */
function rowNames(ids: NameList): string {
  const some = `${sliceNames(ids, 0, 3).map(inQuotes).join(', ')}${ids.length > 3 ? ', …' : ''}`;
  return ids.heading ? `column '${ids.heading}': ${some}` : some;
}

/** The first rows as a table, its heading the names of columns. */
function firstRows({ V, columns, ids }: OpenedSource, rows: readonly (readonly (number | null)[])[]): string {
  const shown = Math.min(V, COLUMNS);
  const more = V > shown ? ['…'] : [];
  const short = (name: string) => (name.length > 16 ? `${name.slice(0, 15)}…` : name);
  const heading = Array.from({ length: shown }, (_, v) => short(columns?.[v] || String(v)));
  const lines = rows.map((row, i) => [
    short(ids?.at(i) ?? String(i)),
    ...row.map((x) => (x === null ? '' : numberText(x))),
    ...more,
  ]);
  return `\n${table([['', ...heading, ...more], ...lines])}`;
}

function firstEntries(rows: Rows): (number | null)[][] {
  return Array.from({ length: Math.min(ROWS, rows.n) }, (_, i) =>
    Array.from({ length: Math.min(COLUMNS, rows.V) }, (_, v) => {
      const x = writtenValue(rows, i, v, { values: 'unit' });
      return Number.isNaN(x) ? null : x;
    }),
  );
}

async function count(source: OpenedSource, session: Session) {
  const { n, V, columns } = source;
  const sums = new Float64Array(V);
  const known = new Float64Array(V);
  const varies = new Uint8Array(V);
  const first = new Float64Array(V).fill(Number.NaN);
  let firstRows: (number | null)[][] = [];
  let done = 0;
  for await (const rows of source.chunks(4096)) {
    session.io.signal.throwIfAborted();
    if (done === 0) firstRows = firstEntries(rows);
    eachKnown(rows, (x, _, v) => {
      sums[v] += (1 + x) / 2;
      known[v]++;
      if (Number.isNaN(first[v])) first[v] = x;
      else if (x !== first[v]) varies[v] = 1;
    });
    done += rows.n;
    session.progress.update(() => `reading: ${timeLeft(done / n, session.seconds)}`);
  }
  let ones = 0;
  let entries = 0;
  let constantColumns = 0;
  let nats = 0;
  const constantNames: string[] = [];
  for (let v = 0; v < V; v++) {
    ones += sums[v];
    entries += known[v];
    if (known[v] > 0) nats += (known[v] / n) * entropy(sums[v] / known[v]);
    if (varies[v]) continue;
    constantColumns++;
    if (columns && constantNames.length < SHOWN) constantNames.push(columns[v]);
  }
  return {
    ones: ones / Math.max(1, entries),
    onesPerRow: ones / n,
    missing: 1 - entries / (n * V),
    constantColumns,
    constantNames,
    entropy: nats,
    firstRows,
  };
}

/** In nats, of a bit that is on with probability p. */
function entropy(p: number): number {
  return p > 0 && p < 1 ? -p * Math.log(p) - (1 - p) * Math.log1p(-p) : 0;
}

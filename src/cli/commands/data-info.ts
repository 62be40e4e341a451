import type { Command } from 'commander';
import { formatShare } from '../../figures/figure.ts';
import { openSource } from '../../formats/node/open.ts';
import type { OpenedSource } from '../../formats/options.ts';
import { type NameList, sliceNames } from '../../rows/names.ts';
import { entry } from '../../rows/rows.ts';
import { inQuotes } from '../../rows/select.ts';
import { addDataOptions, type DataOptions, dataLine, describeData, openOptions } from '../data.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { timeLeft } from '../progress.ts';
import { Session } from '../session.ts';
import { list, number } from '../text.ts';

export function addDataInfo(data: Command, io: Io): void {
  const command = data
    .command('info')
    .summary('what a file of rows holds')
    .description(
      'Reads the rows once and counts: how they were understood, ones, missing entries, constant columns.',
    )
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input');
  addDataOptions(command).action(async (path: string, options: DataOptions) => {
    const session = new Session(command, io);
    const source = await openSource(path, openOptions(options, io.signal));
    const { n, V, image, columns, ids } = source;
    const found = await count(source, session);
    const facts = {
      ...describeData(source),
      image,
      columns: columns?.slice(0, SHOWN),
      ids: ids && sliceNames(ids, 0, SHOWN),
      idColumn: ids?.heading,
      ...found,
      seconds: session.seconds,
    };
    await session.result(
      facts,
      list([
        ['data', dataLine(source)],
        ...(image ? [['pictures', `${image.width} x ${image.height}`] as const] : []),
        ...(columns
          ? [['columns', `${columns.slice(0, 8).map(inQuotes).join(', ')}${V > 8 ? ', …' : ''}`] as const]
          : []),
        ...(ids ? [['row names', rowNames(ids)] as const] : []),
        ['ones', `${formatShare(found.ones)} of all entries, ${number(found.onesPerRow)} of ${V} in a row`],
        ['missing', `${formatShare(found.missing)} of all entries`],
        ['constant columns', `${found.constantColumns} of ${V}`],
        ['entropy', `${number(found.entropy)} nats per row, by how often each column is on (${n} rows)`],
      ]),
    );
  });
  document(command, {
    first: ['format', 'values', 'layout', 'header', 'idColumn', 'missing', 'rows', 'columns'],
    examples: [['pcae data info plants.csv.gz', 'how a file is read, without learning from it']],
    json: {
      name: 'the file',
      format: 'its format',
      n: 'rows',
      V: 'columns',
      kind: 'bits or real',
      values: 'what its numbers stand for',
      binarize: 'how grey values became bits: sample, threshold or none',
      image: '{height, width}, where a row is a picture',
      columns: `names of the first ${SHOWN} columns, where there are any`,
      ids: `names of the first ${SHOWN} rows, where there are any`,
      idColumn: 'the column that the names of rows come from, where it has a name',
      ones: 'share of ones among the known entries',
      onesPerRow: 'mean number of ones in a row',
      missing: 'share of missing entries',
      constantColumns: 'columns that never change',
      entropy: 'nats per row of columns taken one by one: what knowing only base rates costs',
      seconds: 'wall-clock seconds',
    },
  });
}

/** Names that JSON shows. */
const SHOWN = 20;

/** Where the names of rows come from, and the first of them: a column that should be data shows here. */
function rowNames(ids: NameList): string {
  const some = `${sliceNames(ids, 0, 3).join(', ')}${ids.length > 3 ? ', …' : ''}`;
  return ids.heading ? `column '${ids.heading}': ${some}` : some;
}

async function count(source: OpenedSource, session: Session) {
  const { n, V } = source;
  const sums = new Float64Array(V);
  const known = new Float64Array(V);
  const varies = new Uint8Array(V);
  const first = new Float64Array(V).fill(Number.NaN);
  let done = 0;
  for await (const rows of source.chunks(4096)) {
    session.io.signal.throwIfAborted();
    for (let i = 0; i < rows.n; i++) {
      for (let v = 0; v < V; v++) {
        const x = entry(rows, i, v);
        if (Number.isNaN(x)) continue;
        sums[v] += (1 + x) / 2;
        known[v]++;
        if (Number.isNaN(first[v])) first[v] = x;
        else if (x !== first[v]) varies[v] = 1;
      }
    }
    done += rows.n;
    session.progress.update(() => `reading: ${timeLeft(done / n, session.seconds)}`);
  }
  const total = (values: Float64Array | Uint8Array) => Array.from(values).reduce((a, b) => a + b, 0);
  const [ones, entries] = [total(sums), total(known)];
  return {
    ones: ones / Math.max(1, entries),
    onesPerRow: ones / n,
    missing: 1 - entries / (n * V),
    constantColumns: V - total(varies),
    entropy: total(sums.map((sum, v) => (known[v] > 0 ? entropy(sum / known[v]) : 0))),
  };
}

/** In nats, of a bit that is on with probability p. */
function entropy(p: number): number {
  return p > 0 && p < 1 ? -p * Math.log(p) - (1 - p) * Math.log1p(-p) : 0;
}

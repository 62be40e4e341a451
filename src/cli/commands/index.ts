import { type Command, Option } from 'commander';
import { type Rows, sliceRows } from '../../rows/rows.ts';
import { document } from '../document.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { threadsOption, whole } from '../parse.ts';
import { Session } from '../session.ts';
import { readFor, readIds, readVectors } from '../vectors.ts';

interface IndexOptions {
  readonly from?: string;
  readonly add?: string;
  readonly delete?: string;
  readonly compact?: boolean;
  readonly model?: string;
  readonly values?: 'vectors';
  readonly metric?: 'cosine' | 'inner' | 'euclidean';
  readonly bits?: number;
  readonly neighbours: 'hamming' | 'tanimoto';
  readonly seed: number;
  readonly threads?: number;
  readonly force?: boolean;
}

export function addIndex(program: Command, io: Io): void {
  const command = program
    .command('index')
    .description(
      'Makes or changes a search index: one file of codes, their constants, their ids and the model that made them, ' +
        'which search takes. Vectors learn their own codes; rows of bits take those of a model learned with --encoding bits. ' +
        'Without anything to do it tells what the index holds.',
    )
    .argument('<index>', 'the file')
    .option('--from <data>', 'make the index from these rows')
    .addOption(
      new Option('--values <kind>', 'with --from: its numbers are vectors, to learn codes for').choices([
        'vectors',
      ]),
    )
    .option('--bits <count>', 'vectors: bits of a code, a multiple of 8 (default: 64)', whole(8))
    .addOption(
      new Option('--metric <name>', 'vectors: what makes two of them neighbours').choices([
        'cosine',
        'inner',
        'euclidean',
      ]),
    )
    .option('--model <file>', 'with --from: a model of bits, instead of vectors')
    .addOption(
      new Option('--neighbours <name>', 'bits: what the temperature is chosen by')
        .choices(['hamming', 'tanimoto'])
        .default('hamming'),
    )
    .option('--add <data>', 'encode these rows and add them; an id that is there already is replaced')
    .option('--delete <ids>', 'delete rows: ids with commas between them, or @file with one per line')
    .option('--compact', 'write the file again without what was deleted')
    .option('--seed <k>', 'fixes the random numbers of learning', whole(0), 1)
    .option('--force', 'overwrite an index')
    .addOption(threadsOption())
    .action(async (path: string, options: IndexOptions) => {
      const session = new Session(command, io);
      const { SearchIndex } = await import('../../node/search-index.ts');
      const done: Record<string, unknown> = {};
      if (options.from !== undefined) Object.assign(done, await made(path, options, session));
      const index = await SearchIndex.open(path);
      try {
        if (options.delete !== undefined) done.deleted = await index.delete(readIds(options.delete));
        if (options.add !== undefined) {
          const { data, ids } = await readFor(index.model, options.add, io.signal);
          const { threads } = options;
          Object.assign(done, await index.add(data, { ids, threads, signal: io.signal }));
        }
        if (options.compact) await index.compact();
        const { kind, V, H, metric } = index.model;
        const { rows, deleted, bytes } = index.size;
        const facts = { kind, metric, V, H, rows, unused: deleted, bytes, model: index.modelHash };
        const words =
          `${path}: ${rows} rows with codes of ${H} bits, of ${kind === 'bits' ? 'rows' : 'vectors'} of ${V} ` +
          `${kind === 'bits' ? 'bits' : 'numbers'}${metric ? `, compared by ${metric}` : ''}; ` +
          `${bytes} bytes${deleted > 0 ? `, ${deleted} deleted rows still take room (--compact)` : ''}\n`;
        await session.result({ ...done, ...facts, seconds: session.seconds }, words);
      } finally {
        await index.close();
      }
    });
  document(command, {
    examples: [
      ['pcae index words.index --from words.npy --values vectors --metric cosine', 'learn codes, keep them'],
      ['pcae index words.index --add more.npy', 'add vectors'],
      ['pcae index words.index --delete 17,23 --compact', 'delete two rows, and give back their room'],
      ['pcae index molecules.index --from molecules.fps --model m.safetensors', 'rows of bits'],
    ],
    json: {
      'kind, metric, V, H': 'what the index is of, and bits of a code',
      'rows, unused, bytes': 'rows that can be found, deleted ones that still take room, bytes of the file',
      model: 'SHA-256 of the model',
      'added, replaced, deleted': 'what this command did',
      'temperature, recall, error':
        'with --from: what was chosen on rows held out, and what codes leave of the variance',
      seconds: 'wall-clock seconds',
    },
  });
}

/** Learns or loads the model, makes the index and adds its first rows. */
async function made(path: string, options: IndexOptions, session: Session): Promise<Record<string, unknown>> {
  const { from = '', threads, force } = options;
  const { signal } = session.io;
  const { SearchIndex } = await import('../../node/search-index.ts');
  const {
    model,
    facts,
    data,
    ids,
    from: begun,
  } = await (options.model === undefined
    ? learnedFor(from, options, session)
    : loadedFor(from, options, signal));
  const index = await SearchIndex.create(path, model, { force });
  try {
    return { ...(await index.add(data, { ids, from: begun, threads, signal })), ...facts };
  } finally {
    await index.close();
  }
}

/** Vectors, and codes learned for them. */
async function learnedFor(from: string, options: IndexOptions, session: Session) {
  const { values, metric, bits = 64, seed, threads } = options;
  if (values === undefined) {
    throw new UsageError(
      'say what the rows are: --values vectors, or --model with the file of a model learned with --encoding bits',
    );
  }
  if (metric === undefined)
    throw new UsageError('say --metric cosine, inner or euclidean: vectors do not tell');
  const [{ fitVectors }, { vectorModel }] = await Promise.all([
    import('../../vectors/node/index.ts'),
    import('../../node/code-models.ts'),
  ]);
  const { signal } = session.io;
  const { data, ids } = await readVectors(from, signal);
  const learned = await fitVectors(data, {
    ...{ bits, metric, seed, threads, signal },
    onProgress: (share, error) =>
      session.progress.update(() => `learning: ${Math.round(100 * share)}%, error ${error.toFixed(3)}`),
  });
  const { error, recall } = learned.training;
  const facts = { error, recall, temperature: learned.temperature };
  return { model: vectorModel(learned), facts, data, ids, from: learned.trainingCodes };
}

/** Rows of bits, and the model that was learned for them, with a temperature for them. */
async function loadedFor(from: string, options: IndexOptions, signal: AbortSignal) {
  if (options.values !== undefined) throw new UsageError('say --values vectors or --model, not both');
  const [{ loadModel }, { PCAE }, { bitsModel, temperatureFor }, { tanimoto }] = await Promise.all([
    import('../../node/model-files.ts'),
    import('../../model/model.ts'),
    import('../../node/code-models.ts'),
    import('../../search/likelihood.ts'),
  ]);
  const learned = await loadModel(options.model!, { as: PCAE });
  const { data, n, ids } = await readFor(bitsModel(learned, 1), from, signal);
  const some = sliceRows(data as Rows, 0, Math.min(n, 5000));
  const facts = await temperatureFor(learned, some, options.neighbours === 'tanimoto' ? tanimoto : undefined);
  return { model: bitsModel(learned, facts.temperature), facts, data, ids, from: undefined };
}

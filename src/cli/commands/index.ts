import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Engine } from '../../engine/engine.ts';
import { suitsGpu } from '../../engine/gpu/choice.ts';
import type { CodeData, CodeModel, Coding, SearchableModel } from '../../node/code-models.ts';
import { counted } from '../../rows/counted.ts';
import { badFile } from '../../rows/errors.ts';
import type { RowsInput } from '../../rows/input.ts';
import type { RowMetric } from '../../search/temperature.ts';
import { refuseInput } from '../claim.ts';
import { document } from '../document.ts';
import { type EngineName, engineOption, gpuFor, onGpuOrThreads } from '../engine.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { threadsOption } from '../parse.ts';
import { Session } from '../session.ts';
import { checkedSearchable, type IndexData, readFor, readIds } from '../vectors.ts';

interface IndexOptions {
  readonly from?: string;
  readonly add?: string;
  readonly delete?: string;
  readonly compact?: boolean;
  readonly model?: string;
  readonly metric?: RowMetric;
  readonly engine: EngineName;
  readonly threads?: number;
  readonly force?: boolean;
}

export function addIndex(program: Command, io: Io): void {
  const command = program
    .command('index')
    .description(
      'Makes or changes a search index: one file with codes, their ids and the model that made them, ' +
        'for pcae search. The model is one of bits (train --encoding bits) or of vectors (train ' +
        '--values vectors). With no option, shows what the index holds.',
    )
    .argument('<index>', 'the file')
    .option('--from <data>', 'make the index from these rows')
    .option('--model <file>', 'with --from: the model that makes the codes')
    .addOption(
      new Option(
        '--metric <name>',
        'with --from and a model of bits: choose the temperature of searching again, by neighbours in this metric ' +
          "(default: the model's own temperature, chosen by hamming)",
      ).choices(['hamming', 'tanimoto']),
    )
    .option('--add <data>', 'encode these rows and add them; a row whose id exists is replaced')
    .option('--delete <ids>', 'delete rows: ids separated by commas, or @file with one per line')
    .option('--compact', 'rewrite the file without deleted rows')
    .option('--force', 'overwrite an index')
    .addOption(engineOption())
    .addOption(threadsOption())
    .action(async (path: string, options: IndexOptions) => {
      const session = new Session(command, io);
      const { SearchIndex } = await import('../../node/search-index.ts');
      const done: Record<string, unknown> = {};
      if (options.from !== undefined) Object.assign(done, await made(path, options, session));
      if (!existsSync(path))
        throw badFile(path, 'there is no such index; make it with --from ROWS --model MODEL');
      const index = await SearchIndex.open(path);
      try {
        if (options.delete !== undefined) {
          const ids = new Set(await readIds(options.delete));
          done.deleted = await index.delete(ids);
          session.say(
            `${done.deleted} of ${ids.size} ids deleted${done.deleted === ids.size ? '' : '; the index does not hold the others'}`,
          );
        }
        if (options.add !== undefined) {
          const rows = await readFor(index.model, options.add, io.signal);
          const { added, replaced } = await withCoding(index.model, rows, options, session, (coding) =>
            index.add(rows.data, { ids: rows.ids, ...coding }),
          );
          Object.assign(done, { added, replaced });
          session.say(
            `${counted(added, 'row')} added, ${replaced} of them in place of rows with the same id`,
          );
        }
        if (options.compact) await index.compact();
        const { kind, V, H, metric } = index.model;
        const { rows, deleted, bytes } = index.size;
        const facts = { kind, metric, V, H, rows, unused: deleted, bytes, model: index.modelHash };
        const words =
          `${path}: ${counted(rows, 'row')} with codes of ${H} bits, of ${kind === 'bits' ? 'rows' : 'vectors'} of ${V} ` +
          `${kind === 'bits' ? 'bits' : 'numbers'}${metric ? `, compared by ${metric}` : ''}; ` +
          `${counted(bytes, 'byte')}${deleted > 0 ? `; --compact frees the room of ${counted(deleted, 'deleted row')}` : ''}\n`;
        await session.result({ ...done, ...facts, seconds: session.seconds }, words);
      } finally {
        await index.close();
      }
    });
  document(command, {
    examples: {
      'pcae index words.index --from words.npy --model words.safetensors':
        'encode vectors and keep their codes',
      'pcae index words.index --add more.npy': 'add vectors',
      'pcae index words.index --delete 17,23 --compact': 'delete two rows and free their space',
      'pcae index molecules.index --from molecules.fps --model m.safetensors': 'rows of bits',
    },
    json: {
      'kind, metric, V, H': 'what the index is of, and bits of a code',
      'rows, unused, bytes': 'rows that can be found, deleted ones that still take room, bytes of the file',
      model: 'SHA-256 of the model',
      'added, replaced, deleted': 'what this command did',
      recall: 'with --metric: of the ten nearest of some rows, the share that codes find',
      seconds: 'wall-clock seconds',
    },
  });
}

/** Makes the index and adds its first rows. */
async function made(path: string, options: IndexOptions, session: Session): Promise<Record<string, unknown>> {
  const { from = '', model: modelPath, metric, force } = options;
  if (modelPath === undefined) {
    throw new UsageError(
      'use --model to name the model that makes the codes: pcae train with --encoding bits learns one ' +
        'for rows of bits, with --values vectors one for vectors',
    );
  }
  await refuseInput(path, [from, modelPath]);
  const { signal } = session.io;
  const [{ SearchIndex }, { openSearchable, codeModel }] = await Promise.all([
    import('../../node/search-index.ts'),
    import('../../node/code-models.ts'),
  ]);
  const learned = checkedSearchable(await openSearchable(modelPath), modelPath);
  const rows = await readFor(codeModel(learned), from, signal);
  const { model, ...facts } = metric ? await chosen(learned, rows.data, metric, signal) : { model: learned };
  if ('recall' in facts)
    session.say(
      `codes find ${(100 * facts.recall).toFixed(1)}% of the ten nearest of some rows, by ${metric}`,
    );
  const { data, ids, n } = rows;
  const index = await withCoding(codeModel(model), rows, options, session, (coding) =>
    SearchIndex.create(path, model, { force, first: { data, ids, ...coding } }),
  );
  await index.close();
  return { added: n, replaced: 0, ...facts };
}

/** Encodes rows where it was asked for. */
async function withCoding<T>(
  { V, H, like }: CodeModel,
  { n }: IndexData<CodeData>,
  options: IndexOptions,
  session: Session,
  encode: (coding: Coding) => Promise<T>,
): Promise<T> {
  const { signal } = session.io;
  const onProgress = session.showing('encoding');
  const suits = like === undefined || suitsGpu(like.encoding, like.reconstructionLoss);
  const work = { suits, size: n * V * H, codes: like && { encoding: like.encoding, H } };
  const on = (engine?: Engine) => encode({ threads: options.threads, engine, signal, onProgress });
  // Vectors have threads of their own.
  if (!like) return onGpuOrThreads(session, options, work, on);
  return session.withEngine(options.threads, on, await gpuFor(options.engine, work));
}

/** A model of bits with a temperature for these rows. */
async function chosen(model: SearchableModel, data: CodeData, metric: RowMetric, signal: AbortSignal) {
  if (!('encoding' in model))
    throw new UsageError('--metric is for models of bits; a model of vectors has learned with its own');
  const { withTemperature } = await import('../../node/code-models.ts');
  return withTemperature(model, data as RowsInput, { metric, signal });
}

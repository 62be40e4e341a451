import type { Command } from 'commander';
import { writeAtomic } from '../../formats/node/atomic.ts';
import { counted } from '../../rows/counted.ts';
import { saveVectorCodes } from '../../vectors/file.ts';
import { fitVectors } from '../../vectors/node/index.ts';
import type { Metric } from '../../vectors/vectors.ts';
import { refuseOthers } from '../combinations.ts';
import { type DataOptions, openOptions } from '../data.ts';
import { type EngineName, onGpuOrThreads } from '../engine.ts';
import { UsageError } from '../errors.ts';
import type { Session } from '../session.ts';
import { list, number } from '../text.ts';
import { readVectors } from '../vectors.ts';

interface VectorsTraining extends DataOptions {
  readonly hidden?: number;
  readonly metric?: Metric;
  readonly output: string;
  readonly seed: number;
  readonly threads?: number;
  readonly engine: EngineName;
  readonly force?: boolean;
}

/** `train --values vectors`: learns codes of bits for vectors, by which their neighbours are found. */
export async function trainVectors(dataPath: string, command: Command, session: Session): Promise<void> {
  refuseOthers(command, '--values vectors', KNOWN);
  const options = command.opts<VectorsTraining>();
  const { hidden: bits, metric, output, seed, threads, force } = options;
  if (bits === undefined) throw new UsageError('say how many bits a code has: -H 64 or -H 128');
  if (metric === undefined)
    throw new UsageError('use --metric cosine, inner or euclidean: the vectors do not say which');
  const { signal } = session.io;
  const { data } = await readVectors(dataPath, signal, openOptions(options));
  const work = { suits: true, size: data.n * data.V * bits };
  const codes = await onGpuOrThreads(session, options, work, (engine) =>
    fitVectors(data, {
      bits,
      metric,
      seed,
      threads,
      signal,
      engine,
      onProgress: (share, error) =>
        session.progress.update(() => `learning: ${Math.round(100 * share)}%, error ${number(error)}`),
    }),
  );
  session.progress.clear();
  await writeAtomic(output, [saveVectorCodes(codes)], { force });
  const { temperature, training } = codes;
  const { error, recall } = training;
  const { seconds } = session;
  await session.result(
    { model: output, n: data.n, V: data.V, H: bits, metric, error, recall, temperature, seconds },
    list([
      [
        'model',
        `${output}: codes of ${counted(bits, 'bit')} for vectors of ${counted(data.V, 'number')}, compared by ${metric}`,
      ],
      ['error', `${number(error)} of the variance is left by the codes`],
      ['recall', `${number(recall)} of the ten nearest of vectors held out are found`],
      ['seconds', number(seconds)],
    ]),
  );
}

/** The options that it knows, besides how to read the data. */
const KNOWN = ['hidden', 'output', 'force', 'metric', 'seed', 'threads', 'engine'];

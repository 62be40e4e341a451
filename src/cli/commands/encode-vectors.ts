import type { Command } from 'commander';
import { type BitOrder, codesAsRows } from '../../bits/pack.ts';
import { counted } from '../../rows/counted.ts';
import { memorySource } from '../../rows/memory.ts';
import { startThread } from '../../search/node/index.ts';
import type { VectorCodes } from '../../vectors/codes.ts';
import { namesFile } from '../claim.ts';
import { refuseOthers } from '../combinations.ts';
import { type DataOptions, openOptions } from '../data.ts';
import { type EngineName, onGpuOrThreads } from '../engine.ts';
import { type OutputOptions, writeRows } from '../output.ts';
import type { Session } from '../session.ts';
import { list, number } from '../text.ts';
import { readVectors } from '../vectors.ts';

interface Options extends DataOptions, OutputOptions {
  readonly order: BitOrder;
  readonly threads?: number;
  readonly engine: EngineName;
}

/** `encode` with a model of vectors: writes the bits of their codes. */
export async function encodeVectors(
  model: VectorCodes,
  dataPath: string,
  command: Command,
  session: Session,
): Promise<void> {
  refuseOthers(command, 'a model of vectors', KNOWN);
  const options = command.opts<Options>();
  const { packed, order, threads = 1 } = options;
  const { signal } = session.io;
  const { data, n, ids } = await readVectors(dataPath, signal, openOptions(options));
  const work = { suits: true, size: n * data.V * model.H };
  const { codes, error } = await onGpuOrThreads(session, options, work, (engine) =>
    model.encode(data, {
      threads,
      start: startThread,
      signal,
      engine,
      onProgress: session.showing('encoding'),
    }),
  );
  const columns = Array.from({ length: model.H }, (_, h) => `h${h + 1}`);
  await writeRows(memorySource(codesAsRows(codes), { ids, columns }), options, session, { packed, order });
  const { output } = options;
  if (!namesFile(output)) return;
  const { seconds } = session;
  await session.result(
    { n, H: model.H, output, error, seconds },
    list([
      ['codes', `${output}: ${counted(n, 'code')} of ${counted(model.H, 'bit')}`],
      ['error', `${number(error)} of the variance is left by the codes`],
      ['seconds', number(seconds)],
    ]),
  );
}

const KNOWN = ['output', 'to', 'force', 'packed', 'order', 'threads', 'engine'];

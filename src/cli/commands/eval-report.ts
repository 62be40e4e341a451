import type { Engine } from '../../engine/engine.ts';
import { writeAtomic } from '../../formats/node/atomic.ts';
import type { OpenedSource } from '../../formats/options.ts';
import type { LossReport } from '../../model/autoencoder.ts';
import type { PCAE } from '../../model/model.ts';
import { modelReport } from '../../report/model-report.ts';
import { dataLine } from '../data.ts';
import { codesInWords, counted } from '../text.ts';
import { VERSION } from '../version.ts';

interface PageOptions {
  readonly report: string;
  readonly title: string;
  readonly force?: boolean;
  readonly engine: Engine;
  readonly signal: AbortSignal;
}

/** `eval --report`: numbers, reconstructions, every hidden unit and the course of learning on one page. */
export async function writeReport(
  model: PCAE,
  source: OpenedSource,
  evaluation: LossReport,
  { report, title, force, engine, signal }: PageOptions,
): Promise<void> {
  const page = await modelReport(model, source, {
    title,
    lead: `A model with ${codesInWords(model)} for rows of ${counted(model.V, 'column')}, measured on ${dataLine(source)}.`,
    footer: { 'pc-ae': VERSION, data: source.name, binarisation: source.schema.binarize },
    evaluation,
    engine,
    signal,
  });
  await writeAtomic(report, [page], { force });
}

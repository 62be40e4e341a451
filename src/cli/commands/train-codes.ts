import type { Command } from 'commander';
import type { OpenedSource } from '../../formats/options.ts';
import type { Loss } from '../../losses/loss.ts';
import { type FittedDecoder, fitDecoder } from '../../model/decoder.ts';
import { PCAE } from '../../model/model.ts';
import { saveModel } from '../../node/save-model.ts';
import { counted } from '../../rows/counted.ts';
import { collect } from '../../rows/memory.ts';
import { readCodes } from '../codes.ts';
import { refuseOthers } from '../combinations.ts';
import { describeData } from '../data.ts';
import { UsageError } from '../errors.ts';
import type { Session } from '../session.ts';
import { list, number, unitOf } from '../text.ts';

interface CodesTraining {
  readonly codes: string;
  readonly output: string;
  readonly force?: boolean;
  readonly loss: Loss;
  readonly ridge?: number | 'auto';
  readonly l1: number;
  readonly ellipsoid?: number;
  readonly bias: boolean;
  readonly tolerance?: number;
  readonly threads?: number;
}

/** `train --codes`: learns the worst-case optimal decoder for codes that something else made (Sec. 2). */
export async function trainOnCodes(source: OpenedSource, command: Command, session: Session): Promise<void> {
  refuseOthers(command, '--codes', KNOWN, { hidden: 'has codes of a length of their own' });
  const {
    codes: path,
    output,
    force,
    loss,
    ridge,
    l1,
    ellipsoid,
    bias,
    tolerance,
    threads,
  } = command.opts<CodesTraining>();
  if (ridge === 'auto') throw new UsageError('--ridge must be a number with --codes');
  const { numbers: codes } = await readCodes(path, source.n, 'rows');
  const rows = await collect(source);
  const fitted = await session.withEngine(threads, (engine) =>
    fitDecoder(codes, rows, {
      engine,
      bias,
      ridge,
      l1: l1 > 0 ? l1 : undefined,
      tolerance,
      loss,
      sets: ellipsoid === undefined ? undefined : { confidence: ellipsoid },
    }),
  );
  const { model, weightGap, slackGap, residual } = fitted;
  const { columns, groups, image, n, V } = source;
  await saveModel(output, new PCAE({ ...model, columns, groups, image }), { force });
  const unit = unitOf(loss);
  const { seconds } = session;
  await session.result(
    {
      model: output,
      n,
      V,
      H: model.H,
      encoding: model.encoding,
      lossName: loss.name,
      loss: fitted.loss,
      lossPerColumn: fitted.loss / V,
      bound: fitted.loss,
      weightGap,
      slackGap,
      residual,
      bias,
      seconds,
      data: describeData(source),
    },
    list([
      ['model', `${output}: a decoder for codes of ${counted(model.H, 'number')}`],
      ['loss', `${number(fitted.loss)} ${unit} per row, and the worst case for these correlations`],
      ['certified gap', provenGap(fitted, unit)],
      ['residual', `${number(residual)}: the largest difference of a correlation`],
      ['seconds', number(seconds)],
    ]),
  );
}

/**
 * Options of `train`, besides those on reading data, that mean something for codes that are there already.
 */
const KNOWN = [
  'codes',
  'output',
  'force',
  'loss',
  'ridge',
  'l1',
  'ellipsoid',
  'bias',
  'tolerance',
  'threads',
];

function provenGap({ weightGap, slackGap }: FittedDecoder, unit: string): string {
  if (slackGap !== undefined) return `${number(slackGap)} ${unit}: no weights whatever are better by more`;
  if (!Number.isFinite(weightGap)) return 'none: without a ridge nothing is proven';
  return `${number(weightGap)} ${unit}: no weights are better by more, what the penalty adds for their size included`;
}

import { writeAtomic } from '../../formats/node/atomic.ts';
import type { OpenedSource } from '../../formats/options.ts';
import { fitStack } from '../../model/stack.ts';
import { collect } from '../../rows/memory.ts';
import { takeRows } from '../../rows/rows.ts';
import { holdOut } from '../../rows/split.ts';
import { describeData } from '../data.ts';
import { Interrupted, UsageError } from '../errors.ts';
import type { Session } from '../session.ts';
import { list, number } from '../text.ts';
import type { TrainingOptions } from '../training-options.ts';

interface StackTraining extends TrainingOptions {
  readonly layers: readonly number[];
  readonly output: string;
  readonly force?: boolean;
  readonly ridge?: number | 'auto';
  readonly validation?: number | string;
  readonly hidden?: number;
  readonly resume?: boolean;
}

/** `train --layers`: learns a stack and writes it to one file. */
export async function trainStack(
  source: OpenedSource,
  options: StackTraining,
  session: Session,
): Promise<void> {
  check(options);
  const { layers, seed, epochs, output } = options;
  const all = await collect(source);
  const share = options.validation as number | undefined;
  const { kept, held } = share ? holdOut(all.n, share, seed) : { kept: undefined, held: undefined };
  const rows = kept ? takeRows(all, kept) : all;
  const { signal } = session.io;
  const { stack, validation } = await session.withEngine(options.threads, async (engine) => {
    const stack = await fitStack(rows, {
      ...{ layers, seed, epochs, engine, signal },
      ridge: options.ridge as number | undefined,
      onRound: ({ round, loss }) => session.progress.update(() => `round ${round}  loss ${number(loss)}`),
    });
    if (signal.aborted) throw new Interrupted('interrupted; a stack keeps no checkpoints');
    return { stack, validation: held && (await stack.loss(takeRows(all, held), { engine })) };
  });
  await writeAtomic(output, [stack.save()], { force: options.force });
  const { n, loss, seconds } = stack.training;
  const sizes = layers.join(', ');
  await session.result(
    {
      model: output,
      n,
      V: stack.V,
      H: stack.H,
      layers,
      loss,
      validation,
      seconds,
      data: describeData(source),
    },
    list([
      ['stack', `${output}: ${stack.V} columns, layers of ${sizes} units`],
      ['training loss', `${number(loss)} nats per example, from the topmost codes alone (${n} rows)`],
      ...(validation === undefined
        ? []
        : [['validation loss', `${number(validation)} nats per example`] as const]),
      ['learning', `${stack.training.history.length - 1} rounds, ${number(seconds)} s`],
    ]),
  );
}

function check(options: StackTraining): void {
  const refuse = (what: string) => {
    throw new UsageError(`--layers ${what}`);
  };
  if (options.hidden !== undefined) refuse('gives the sizes of all layers: leave -H out');
  if (options.layers.length < 2) refuse('needs two sizes or more, such as 100,32; for one layer use -H');
  if (options.loss.name !== 'cross-entropy') refuse('learns with cross-entropy; leave --loss out');
  if (options.encoding !== 'box') refuse('has box codes; leave --encoding out');
  if (options.algorithm !== 'fast') refuse("is not part of the paper's procedure; leave --algorithm out");
  if (options.resume) refuse('keeps no checkpoints; leave --resume out');
  if (options.ridge === 'auto') refuse('takes a number for --ridge');
  if (typeof options.validation === 'string') refuse('takes a share for --validation, such as 0.1');
}

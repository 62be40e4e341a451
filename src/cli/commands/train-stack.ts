import type { Command } from 'commander';
import type { OpenedSource } from '../../formats/options.ts';
import { fitStack, type StackProgress } from '../../model/fit-stack.ts';
import type { Stack } from '../../model/stack.ts';
import { saveModel } from '../../node/save-model.ts';
import { collect } from '../../rows/memory.ts';
import { refuseOthers } from '../combinations.ts';
import { type DataOptions, describeData } from '../data.ts';
import { UsageError } from '../errors.ts';
import { trainingAndHeld } from '../held-out.ts';
import { timeLeft } from '../progress.ts';
import type { Session } from '../session.ts';
import { counted, list, number, unitOf } from '../text.ts';
import { interruptible } from '../training.ts';
import { checkUnits } from '../training-options.ts';

interface StackTraining extends DataOptions {
  readonly layers: readonly number[];
  readonly output: string;
  readonly force?: boolean;
  readonly epochs?: number;
  readonly ridge?: number;
  readonly validation?: number | string;
  readonly seed: number;
  readonly threads?: number;
}

/** `train --layers`: learns a stack and writes it to one file. */
export async function trainStack(source: OpenedSource, command: Command, session: Session): Promise<void> {
  checkOptions(command);
  const options = command.opts<StackTraining>();
  const { layers, epochs, ridge, seed, validation } = options;
  layers.forEach((H, k) => {
    checkUnits([H], { V: layers[k - 1] ?? source.V, n: source.n });
  });
  const { training, held } =
    validation === undefined
      ? { training: await collect(source), held: undefined }
      : await trainingAndHeld(source, { ...options, heldOut: validation });
  const { signal } = session.io;
  const { stack, heldOut } = await session.withEngine(options.threads, async (engine) => {
    const show = (progress: StackProgress) => session.progress.update(() => stackText(progress));
    const learning = { layers, epochs, ridge, seed, engine, signal, onProgress: show };
    const stack = await interruptible(
      session,
      'interrupted; a stack keeps no checkpoints, nothing was written',
      () => fitStack(training, learning),
    );
    const onProgress = session.showing('validation rows');
    const heldOut = held && (await stack.evaluate(held, { engine, signal, onProgress }));
    return { stack, heldOut };
  });
  await saveModel(options.output, stack, { force: options.force });
  await session.result(
    { ...trained(stack, options), validation: heldOut?.loss, data: describeData(source) },
    summary(stack, options, heldOut?.loss),
  );
}

/** A line on how far learning has come: layer by layer, then all of them together. */
export function stackText({ phase, number: at, of, fraction, loss, seconds }: StackProgress): string {
  const known = Number.isNaN(loss) ? '' : `  loss ${number(loss)}`;
  return `${phase} ${at} of ${of}: ${timeLeft(fraction, seconds)}${known}`;
}

function trained(stack: Stack, options: StackTraining): Record<string, unknown> {
  const { V, H, encoding, reconstructionLoss, training } = stack;
  const { n, loss, ridge, seed, seconds } = training;
  return {
    model: options.output,
    n,
    V,
    H,
    layers: options.layers,
    encoding,
    lossName: reconstructionLoss.name,
    loss,
    lossPerColumn: loss / V,
    ridge,
    seed,
    seconds,
  };
}

function summary(stack: Stack, options: StackTraining, heldOut: number | undefined): string {
  const { V, training, encoding } = stack;
  const { n, loss, ridge, seconds, history } = training;
  const unit = unitOf(stack.reconstructionLoss);
  return list([
    [
      'stack',
      `${options.output}: ${counted(V, 'column')}, layers of ${options.layers.join(', ')} units, ${encoding} codes`,
    ],
    [
      'training loss',
      `${number(loss)} ${unit} per row, ${number(loss / V)} per column (${counted(n, 'row')}), from the topmost codes alone`,
    ],
    ['validation loss', heldOut === undefined ? undefined : `${number(heldOut)} ${unit} per row`],
    ['learning', `${counted(history.length - 1, 'round')}, ${number(seconds)} s, ridge ${number(ridge)}`],
  ]);
}

/** Options of `train`, besides those on reading data, that a stack has a use for. */
const KNOWN = ['layers', 'output', 'force', 'epochs', 'ridge', 'validation', 'seed', 'threads'];

/** Why it has none for some others. */
const REASONS: Readonly<Record<string, string>> = {
  hidden: 'gives the sizes of all layers',
  loss: 'learns with cross-entropy',
  encoding: 'has box codes',
  resume: 'keeps no checkpoints',
  checkpointEvery: 'keeps no checkpoints',
  calibrate: 'makes no promises of new rows; eval says what rows held out cost',
};

/** An option that would change nothing is refused: nobody should believe that it did. */
function checkOptions(command: Command): void {
  const { layers, ridge } = command.opts<{ layers: readonly number[]; ridge?: number | 'auto' }>();
  if (layers.length < 2) {
    throw new UsageError('--layers needs two sizes or more, such as 100,32; for one layer use -H');
  }
  if (ridge === 'auto') throw new UsageError('--ridge must be a number with --layers');
  refuseOthers(command, '--layers', KNOWN, REASONS);
}

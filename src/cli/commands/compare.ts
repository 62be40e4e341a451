import type { Command } from 'commander';
import { fitAutoencoder, type Units } from '../../baselines/autoencoder.ts';
import { fitPca, pcaLoss } from '../../baselines/pca.ts';
import type { Engine } from '../../engine/engine.ts';
import { openSource } from '../../formats/node/open.ts';
import { crossEntropy } from '../../losses/cross-entropy.ts';
import { fit } from '../../model/fit.ts';
import type { Rows } from '../../rows/rows.ts';
import { baseRateLoss } from '../../solvers/base-rates.ts';
import type { FitOptions } from '../../training/options.ts';
import type { DataOptions } from '../data.ts';
import { addDataOptions, DATA_FIELDS, dataLine, describeData, openOptions } from '../data.ts';
import { document } from '../document.ts';
import { heldOutOption, trainingAndHeld } from '../held-out.ts';
import type { Io } from '../io.ts';
import { threadsOption, whole } from '../parse.ts';
import { share } from '../promises.ts';
import { Session } from '../session.ts';
import { number, table } from '../text.ts';
import { showFit } from '../training.ts';
import { checkUnits, NEIGHBOURS } from '../training-options.ts';

interface CompareOptions extends DataOptions {
  readonly hidden: number;
  readonly heldOut: number | string;
  readonly seed: number;
  readonly paper?: boolean;
  readonly bits?: boolean;
  readonly autoencoders?: boolean;
  readonly hiddenEntries?: number | true;
  readonly threads?: number;
}

/** A method's mean loss on the rows held out, in nats per row. */
interface Contestant {
  readonly method: string;
  readonly loss: number;
  readonly seconds: number;
}

export function addCompare(program: Command, io: Io): void {
  const command = program
    .command('compare')
    .description(
      'Learns from the same rows in several ways and measures each by cross-entropy on the same ' +
        'held-out rows: base rates (no code at all), PCA clipped to probabilities, PCA with a logistic ' +
        'link for each column, PC-AE and, on request, one-layer autoencoders trained by ' +
        'backpropagation. Held-out rows are used only to measure; a tenth of the training rows ' +
        'decides when autoencoders stop.',
    )
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input')
    .requiredOption('-H, --hidden <count>', 'units: how many numbers a code has', whole(1))
    .addOption(heldOutOption())
    .option('--paper', "also run the paper's own procedure")
    .option('--bits', 'also learn codes of true bits')
    .option('--autoencoders', 'also train one-layer autoencoders, up to 500 epochs of Adam')
    .option(
      '--hidden-entries [share]',
      'instead of losses of rows: hide this share of the entries of held-out rows (default: 0.2), and compare how well each method guesses them',
      share,
    )
    .option('--seed <k>', 'fixes everything random', whole(0), 1)
    .addOption(threadsOption());
  addDataOptions(command).action(async (dataPath: string, options: CompareOptions) => {
    const session = new Session(command, io);
    const source = await openSource(dataPath, openOptions(options, io.signal));
    session.say(dataLine(source));
    checkUnits([options.hidden], source);
    const { training, held } = await trainingAndHeld(source, options);
    if (options.hiddenEntries !== undefined) {
      const hide = options.hiddenEntries === true ? HIDE : options.hiddenEntries;
      const { compareOnHidden, hiddenTable } = await import('./compare-hidden.ts');
      const asked = { hide, H: options.hidden, K: NEIGHBOURS, seed: options.seed, groups: source.groups };
      const guessers = await session.withEngine(options.threads, (engine) =>
        compareOnHidden(training, held, asked, engine, session),
      );
      const facts = { n: training.n, held: held.n, H: options.hidden, hide, guessers };
      await session.result(
        { ...facts, seconds: session.seconds, data: describeData(source) },
        hiddenTable(guessers),
      );
      return;
    }
    const contestants = await session.withEngine(options.threads, (engine) =>
      compare(training, held, options, engine, session),
    );
    const { seconds } = session;
    await session.result(
      { n: training.n, held: held.n, H: options.hidden, contestants, seconds, data: describeData(source) },
      table([
        ['method', 'nats per row', 'seconds'],
        ...contestants.map(({ method, loss, seconds }) => [method, number(loss), number(seconds)]),
      ]),
    );
  });
  document(command, {
    first: 'hidden heldOut hiddenEntries paper bits autoencoders seed binarize rows columns',
    examples: {
      'pcae compare data.csv -H 16': 'on a tenth of the rows, held out',
      'pcae compare train.csv -H 16 --held-out test.csv --bits --json': 'on a file, true bits included',
      'pcae compare data.csv -H 16 --autoencoders': 'with autoencoders too',
      'pcae compare survey.csv -H 8 --hidden-entries': 'how well each method guesses missing entries',
    },
    json: {
      n: 'rows learned from',
      held: 'rows measured on',
      H: 'numbers in a code',
      contestants: '[{method, loss, seconds}]: mean cross-entropy per row in nats',
      hide: 'with --hidden-entries: the share of entries that were hidden',
      guessers:
        'with --hidden-entries, instead of contestants: [{method, entryLoss, wrong, seconds}]: nats per hidden entry, and ' +
        'the share whose likelier value is wrong',
      seconds: 'wall-clock seconds',
      data: DATA_FIELDS,
    },
  });
}

/** The share of entries hidden, unless another is asked for. */
const HIDE = 0.2;

async function compare(
  training: Rows,
  held: Rows,
  options: CompareOptions,
  engine: Engine,
  session: Session,
): Promise<Contestant[]> {
  const { hidden: H, seed } = options;
  const { signal } = session.io;
  const out: Contestant[] = [];
  const enter = async (run: () => Promise<Record<string, number>>) => {
    const began = session.seconds;
    const losses = await run();
    const seconds = session.seconds - began;
    for (const [method, loss] of Object.entries(losses)) out.push({ method, loss, seconds });
  };
  const learn = (method: string, more: Partial<FitOptions>) =>
    enter(async () => {
      const onProgress = showFit(session);
      const model = await fit(training, { H, seed, engine, signal, onProgress, ...more });
      return { [method]: (await model.evaluate(held, { engine, signal })).loss };
    });
  await enter(async () => ({
    'base rates, no code': baseRateLoss({ rows: training }, { rows: held }, crossEntropy) / held.n,
  }));
  await enter(async () => {
    const pca = await fitPca(training, { H: Math.min(H, training.V), seed, engine });
    const { clipped, linked } = await pcaLoss(held, pca, { engine });
    return { 'PCA, clipped': clipped, 'PCA, logistic link': linked };
  });
  if (options.autoencoders) {
    const kinds: Record<string, Units> = {
      'autoencoder, logistic units': 'logistic',
      'autoencoder, ReLU units': 'relu',
      ...(options.bits && { 'autoencoder, true bits': 'sign' }),
    };
    for (const [method, units] of Object.entries(kinds)) {
      await enter(async () => {
        const learning = { H, units, seed, engine, validation: 0.1, patience: PATIENCE, signal };
        const { bestOnValidation, last } = await fitAutoencoder(training, {
          ...learning,
          onProgress: showFit(session),
        });
        const { autoencoder } = bestOnValidation ?? { autoencoder: last };
        return { [method]: await autoencoder.loss(held, { engine, signal }) };
      });
    }
  }
  if (options.paper) await learn("PC-AE, the paper's procedure", { algorithm: 'paper' });
  if (options.bits) await learn('PC-AE, true bits', { encoding: 'bits' });
  await learn('PC-AE', {});
  return out;
}

/**
 * Epochs without a better loss of a tenth of the training rows after which an autoencoder is given up; that
 * of the best epoch is measured.
 */
const PATIENCE = 25;

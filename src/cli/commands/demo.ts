import { join } from 'node:path';
import type { Command } from 'commander';
import { digits } from '../../data/digits.ts';
import { writeAtomic } from '../../formats/node/atomic.ts';
import type { LossReport } from '../../model/autoencoder.ts';
import { calibrate } from '../../model/calibrate.ts';
import { fit } from '../../model/fit.ts';
import type { PCAE } from '../../model/model.ts';
import { saveModel } from '../../node/save-model.ts';
import { amount } from '../../promises/words.ts';
import { modelReport } from '../../report/model-report.ts';
import type { SummaryLine } from '../../report/report.ts';
import { counted } from '../../rows/counted.ts';
import { asRows } from '../../rows/input.ts';
import { sliceRows } from '../../rows/rows.ts';
import { baseRateLoss } from '../../solvers/base-rates.ts';
import { makeFolder } from '../claim.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { positive, threadsOption, whole } from '../parse.ts';
import { PROMISE_FIELDS, promiseLines, promisesOf } from '../promises.ts';
import { Session } from '../session.ts';
import { list, number, table } from '../text.ts';
import { showFit } from '../training.ts';
import { VERSION } from '../version.ts';

interface DemoOptions {
  readonly hidden: number;
  readonly train: number;
  readonly test: number;
  readonly epochs: number;
  readonly time: number;
  readonly threads?: number;
  readonly folder: string;
}

export function addDemo(program: Command, io: Io): void {
  const command = program
    .command('demo')
    .description(
      'Generates pictures of digits, learns to encode them and shows the result. Needs no data and no ' +
        'network. Replaces the model and the report of an earlier demo.',
    )
    .option('-H, --hidden <count>', 'units: how many numbers a code has', whole(1), 32)
    .option('--train <rows>', 'pictures to learn from', whole(2), 10_000)
    .option('--test <rows>', 'pictures to measure on, and as many to calibrate promises', whole(2), 2000)
    .option('--epochs <count>', 'passes over the pictures', whole(1), 80)
    .option('--time <seconds>', 'stop learning after this many seconds', positive, 25)
    .addOption(threadsOption())
    .option('--folder <path>', 'where the model and the report go', 'out')
    .action(async (options: DemoOptions) => {
      const session = new Session(command, io);
      const { hidden: H } = options;
      await makeFolder(options.folder);
      const seed = 1;
      const pictures = digits({ train: options.train, test: 2 * options.test, seed });
      const train = asRows({ ...pictures.train, seed });
      const others = asRows({ ...pictures.test, seed: seed + 1 });
      const test = sliceRows(others, 0, options.test);
      const calibrating = sliceRows(others, options.test, others.n);
      const { height, width } = pictures.train;
      await session.withEngine(options.threads, async (engine) => {
        const { signal } = io;
        const learned = await fit(train, {
          H,
          seed,
          engine,
          signal,
          epochs: options.epochs,
          timeBudget: options.time,
          onProgress: io.terminal ? showFit(session) : undefined,
        });
        const model = await calibrate(learned, calibrating, { engine, signal, seed });
        const results: Results = {
          model,
          train: await model.evaluate(train, { engine, signal }),
          test: await model.evaluate(test, { engine, signal }),
          trainBase: baseRateLoss({ rows: train }, { rows: train }, model.reconstructionLoss) / train.n,
          testBase: baseRateLoss({ rows: train }, { rows: test }, model.reconstructionLoss) / test.n,
        };
        const files = {
          model: join(options.folder, 'demo.safetensors'),
          report: join(options.folder, 'demo.html'),
        };
        await saveModel(files.model, model, { force: true });
        const page = await modelReport(model, test, {
          title: 'Digits, binarised and encoded',
          lead: `${number(train.n)} generated pictures of digits, each ${width} x ${height} bits, learned as ${H} numbers; ${number(test.n)} more were kept aside.`,
          engine,
          summary: summaryLines(results),
          footer: { 'pc-ae': VERSION, data: 'generated digits', binarisation: `sampled, seed ${seed}` },
        });
        await writeAtomic(files.report, [page], { force: true });
        const { seconds } = session;
        await session.result(
          { ...demoObject(results), seconds, ...files },
          `${demoTable(results)}\n${list(promiseLines(model, CONFIDENCE))}\n${number(seconds)} s; model in ${files.model}, report with pictures in ${files.report}\n`,
        );
      });
    });
  document(command, {
    examples: {
      'pcae demo': 'with the defaults, under a minute',
      'pcae demo -H 64 --time 120 --folder /tmp/demo': 'more hidden units, more time',
    },
    json: {
      n: 'pictures learned from',
      V: 'bits in a picture',
      H: 'numbers in a code',
      train: 'loss, gap and wrong bits of the training pictures (fields as in eval --measure-drift)',
      test: 'loss, gap and wrong bits of the pictures kept aside',
      promises: PROMISE_FIELDS,
      baseRates: '{train, test}: nats per picture without a code, from how often each bit is on',
      bits: '{before, baseRates, after}: bits per held-out picture: as it is, by base rates, and given its code',
      seconds: 'wall-clock seconds',
      model: 'the model file',
      report: 'the report, an HTML page',
    },
  });
}

const CONFIDENCE = 0.99;

interface Results {
  readonly model: PCAE;
  readonly train: LossReport;
  readonly test: LossReport;
  readonly trainBase: number;
  readonly testBase: number;
}

function demoObject({ model, train, test, trainBase, testBase }: Results): Record<string, unknown> {
  const { V, H } = model;
  return {
    n: train.n,
    V,
    H,
    train: { ...train, bound: model.guarantee().bound },
    test,
    promises: promisesOf(model, CONFIDENCE),
    baseRates: { train: trainBase, test: testBase },
    bits: { before: V, baseRates: testBase / Math.LN2, after: test.loss / Math.LN2 },
  };
}

function demoTable({ model, train, test, trainBase, testBase }: Results): string {
  const { V, H } = model;
  const bits = (nats: number) => number(nats / Math.LN2);
  return table([
    ['per picture', 'train', 'held-out', 'unit'],
    ['loss', train.loss, test.loss, 'nats'],
    ['certified gap, mean', train.gap.mean, test.gap.mean, 'nats'],
    ['certified gap, max', train.gap.max, test.gap.max, 'nats'],
    ['loss without a code', trainBase, testBase, 'nats'],
    ['wrong bits', train.hamming, test.hamming, `of ${V}`],
    ['bits as they are', V, V, 'bits'],
    ['bits without a code', bits(trainBase), bits(testBase), 'bits'],
    [`bits given a code of ${H}`, bits(train.loss), bits(test.loss), 'bits'],
  ]);
}

function summaryLines({ model, train, test, testBase }: Results): SummaryLine[] {
  return [
    ['held-out loss', number(test.loss), 'nats per picture'],
    ['training loss', number(train.loss), 'nats per picture'],
    [
      'promised',
      amount(model.promise({ of: 'mean', confidence: CONFIDENCE }).bound),
      'nats per picture at most, on average over all such pictures, with 99% confidence',
    ],
    [
      'certified gap',
      number(test.gap.mean),
      `nats on average, ${number(test.gap.max)} at most: how far held-out codes are from their optimum`,
    ],
    ['without a code', number(testBase), 'nats per held-out picture, knowing only how often each bit is on'],
    ['wrong bits', number(test.hamming), `of ${model.V} in a held-out picture`],
    ['learning', number(model.training.seconds), `seconds, ${counted(model.training.epochs, 'epoch')}`],
  ];
}

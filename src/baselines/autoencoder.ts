import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Engine } from '../engine/engine.ts';
import { type Where, withEngine } from '../engine/scope.ts';
import { counted } from '../rows/counted.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import { type Rows, takeRows } from '../rows/rows.ts';
import { permutation, split } from '../rows/split.ts';
import { checksFor } from '../training/checks.ts';
import type { HistoryEntry } from '../training/loop/history.ts';
import { learn } from '../training/loop/loop.ts';
import type { Progress } from '../training/loop/progress.ts';
import { Run } from '../training/loop/run.ts';
import type { Seen, Trainer } from '../training/loop/trainer.ts';
import { BestEpochs, type EpochLosses } from './best-epochs.ts';
import { type AdamSettings, type Inputs, Network, type Parameters, type Piece } from './network.ts';
import { OneLayerAutoencoder, PIECE } from './one-layer.ts';
import type { Units } from './units.ts';

export type { EpochLosses } from './best-epochs.ts';
export type { Inputs } from './network.ts';
export { OneLayerAutoencoder } from './one-layer.ts';
export type { Units } from './units.ts';

/**
 * The autoencoder that the paper compares with (Sec. 4, App. A): one layer of encoding units, one of logistic
 * decoding units, both with biases, Xavier's start, Adam with its default parameters on the summed
 * cross-entropy of minibatches of 250, up to 500 epochs.
 */
export interface AutoencoderOptions extends Where {
  /** Encoding units. */
  readonly H: number;
  /**
   * 'logistic' and 'relu' are the paper's binary and real codes; 'sign' learns true bits, straight through.
   */
  readonly units: Units;
  /**
   * The values of a bit for the encoding units. Default 'zero-one'; docs/baselines.md shows the difference.
   */
  readonly inputs?: Inputs;
  /** The start's weights are Xavier's times this. Default 1; 4 is customary for logistic units. */
  readonly gain?: number;
  /** Passes over the rows, at most. Default 500. */
  readonly epochs?: number;
  /** Rows per minibatch. Default 250. */
  readonly batch?: number;
  /** Fixes everything random. Default 1. */
  readonly seed?: number;
  /** Rows whose loss is measured after each epoch. */
  readonly test?: RowsInput;
  /** Rows held out to choose an epoch: a share of the rows, or rows. */
  readonly validation?: number | RowsInput;
  /**
   * Stop when neither test nor validation loss has reached a new low for this many epochs. Default: never.
   */
  readonly patience?: number;
  /** Called with the progress of learning a few times per second, and at the end. */
  readonly onProgress?: (progress: Progress) => void;
}

/** One run of learning, with the epochs that different rows choose. */
export interface FittedAutoencoder {
  /** The autoencoder after the last epoch. */
  readonly last: OneLayerAutoencoder;
  /**
   * The paper's choice: the epoch whose test loss is lowest. Optimistic, because the test rows made the
   * choice.
   */
  readonly bestOnTest?: ChosenEpoch;
  /** The epoch whose validation loss is lowest; its `test` is a fair test loss. */
  readonly bestOnValidation?: ChosenEpoch;
  readonly history: readonly EpochLosses[];
  /** Rows that were learned from. */
  readonly n: number;
  readonly stopped: 'epochs' | 'patience';
  readonly seconds: number;
}

export interface ChosenEpoch extends EpochLosses {
  readonly autoencoder: OneLayerAutoencoder;
}

export async function fitAutoencoder(
  rows: RowsInput,
  options: AutoencoderOptions,
): Promise<FittedAutoencoder> {
  const settings = checked(options);
  const { test, validation, signal } = options;
  const known = {
    rows: await readRows(rows, 'rows', undefined, signal),
    test: test && (await readRows(test, 'test', undefined, signal)),
    validation:
      typeof validation === 'object'
        ? await readRows(validation, 'validation', undefined, signal)
        : validation,
  };
  for (const name of ['test', 'validation'] as const) checkColumns(name, known[name], known.rows);
  return withEngine(options, (engine) => train(engine, known, options, settings));
}

async function train(
  engine: Engine,
  known: KnownRows,
  options: AutoencoderOptions,
  { H, units, inputs, gain, epochs, batch, seed, patience }: ReturnType<typeof checked>,
): Promise<FittedAutoencoder> {
  // For a seed, the rows to choose an epoch by are those that `fit` holds out.
  const {
    training: { rows: training },
    held,
  } = split(known, known.validation, seed);
  const measured = { test: known.test, validation: held?.rows };
  const { n, V } = training;
  const stream = xoroshiro128plus(seed);
  const network = new Network(
    engine,
    { V, H, units, inputs, ...xavier(V, H, gain, () => uniformFloat64(stream)) },
    Math.max(Math.min(batch, n), ...Object.values(measured).map((rows) => Math.min(rows?.n ?? 0, PIECE))),
  );
  const test = measured.test && loadPieces(network, measured.test);
  const heldOut = measured.validation && loadPieces(network, measured.validation);
  const run = new Run(engine, { epochs, timeBudget: Number.POSITIVE_INFINITY }, options);
  const trainer = new NetworkTrainer(
    network,
    training,
    { batch, next: () => stream.next() },
    {
      test: () => test?.loss(),
      validation: () => heldOut?.loss(),
    },
  );
  const { history, stopped } = await learn(trainer, run, { minImprovement: 0, patience });
  const seen = history.at(-1)?.loss ?? Number.NaN;
  run.report({ phase: 'finish', fraction: 1, epoch: trainer.epoch, loss: seen });
  const { onTest, onValidation } = trainer.best;
  return {
    last: new OneLayerAutoencoder(await network.parameters()),
    ...(onTest && { bestOnTest: chosen(onTest) }),
    ...(onValidation && { bestOnValidation: chosen(onValidation) }),
    history: history.map(({ rate: _, ...losses }) => losses),
    ...{ n, stopped: stopped === 'validation' ? 'patience' : 'epochs', seconds: run.course.seconds },
  };
}

/** An epoch visits all rows once, in an order of its own. */
class NetworkTrainer implements Trainer {
  readonly best = new BestEpochs<Parameters>();
  epoch = 0;
  #visited = { loss: 0, rows: 0 };
  readonly #network: Network;
  readonly #rows: Rows;
  readonly #batch: number;
  readonly #seed: () => number;
  readonly #measure: Measure;

  constructor(
    network: Network,
    rows: Rows,
    { batch, next }: { readonly batch: number; readonly next: () => number },
    measure: Measure,
  ) {
    this.#network = network;
    this.#rows = rows;
    this.#batch = batch;
    this.#seed = next;
    this.#measure = measure;
  }

  get share(): number {
    return this.#visited.rows / this.#rows.n;
  }

  rate(): number {
    return ADAM.rate;
  }

  async *visits(): AsyncGenerator<number> {
    const { n } = this.#rows;
    const order = permutation(n, this.#seed());
    for (let first = 0; first < n; first += this.#batch) {
      const end = Math.min(n, first + this.#batch);
      const piece = this.#network.load(takeRows(this.#rows, order.subarray(first, end)));
      const { loss } = this.#visited;
      this.#visited = { loss: loss + (await this.#network.step(piece, ADAM)), rows: end };
      piece.free();
      yield end - first;
    }
  }

  async visitedLoss(): Promise<number> {
    return this.#visited.loss / Math.max(1, this.#visited.rows);
  }

  async endEpoch(): Promise<Seen> {
    const loss = await this.visitedLoss();
    const losses = { test: await this.#measure.test(), validation: await this.#measure.validation() };
    this.epoch++;
    this.#visited = { loss: 0, rows: 0 };
    return { loss, rate: ADAM.rate, ...losses };
  }

  note({ epoch, seconds, loss, test, validation }: HistoryEntry): Promise<boolean | undefined> {
    return this.best.add({ epoch, seconds, loss, test, validation }, () => this.#network.parameters());
  }
}

/** What is measured after each epoch, where there are rows for it. */
type Measure = Readonly<Record<'test' | 'validation', () => Promise<number> | undefined>>;

/** The default parameters of Adam's authors. */
const ADAM: AdamSettings = { rate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };

function chosen({ state, ...losses }: EpochLosses & { readonly state: Parameters }): ChosenEpoch {
  return { ...losses, autoencoder: new OneLayerAutoencoder(state) };
}

/** Xavier's start: weights uniform within sqrt(6 / (inputs + outputs)) times the gain, biases 0. */
function xavier(V: number, H: number, gain: number, uniform: () => number) {
  const limit = gain * Math.sqrt(6 / (V + H));
  const weight = () => limit * (2 * uniform() - 1);
  const U = Float32Array.from({ length: V * H }, weight);
  const W = Float32Array.from({ length: V * (H + 1) }, (_, k) => (k % (H + 1) === H ? 0 : weight()));
  return { U, b: new Float32Array(H), W };
}

/** Rows whose loss is measured again and again, loaded once. */
interface Pieces {
  loss(): Promise<number>;
}

function loadPieces(network: Network, rows: Rows): Pieces {
  const pieces: Piece[] = [];
  for (let first = 0; first < rows.n; first += PIECE) {
    pieces.push(network.load(rows, first, Math.min(rows.n, first + PIECE)));
  }
  return {
    async loss() {
      let sum = 0;
      for (const piece of pieces) sum += await network.loss(piece);
      return sum / rows.n;
    },
  };
}

/** Rows to learn from, and to measure on. */
interface KnownRows {
  readonly rows: Rows;
  readonly test?: Rows;
  readonly validation?: number | Rows;
}

function checkColumns(name: string, held: Rows | number | undefined, { V }: Rows): void {
  if (typeof held !== 'object' || held.V === V) return;
  throw new RangeError(
    `fitAutoencoder: ${name} rows have ${counted(held.V, 'column')}, the training rows ${V}`,
  );
}

function checked(options: AutoencoderOptions) {
  if (!options) {
    throw new RangeError(
      "fitAutoencoder: say how many units there are and which, as in fitAutoencoder(rows, { H: 8, units: 'relu' })",
    );
  }
  const { H, units, inputs = 'zero-one', gain = 1, epochs = 500, batch = 250, seed = 1 } = options;
  const { patience = Number.POSITIVE_INFINITY } = options;
  const check = checksFor('fitAutoencoder');
  check.whole('H', H, 1);
  check.whole('epochs', epochs, 1);
  check.whole('batch', batch, 1);
  check.whole('seed', seed, 0);
  if (patience !== Number.POSITIVE_INFINITY) check.whole('patience', patience, 1);
  check.oneOf('units', units, ['logistic', 'relu', 'sign']);
  check.oneOf('inputs', inputs, ['zero-one', 'plus-minus']);
  check.positive('gain', gain);
  return { H, units, inputs, gain, epochs, batch, seed, patience };
}

import { encodingNames, encodingOf, setOf } from '../encodings/by-name.ts';
import type { CodeSet, Encoding } from '../encodings/encoding.ts';
import { crossEntropy } from '../losses/cross-entropy.ts';
import type { Loss } from '../losses/loss.ts';
import { counted } from '../rows/counted.ts';
import type { Rows } from '../rows/rows.ts';
import { heldCount } from '../rows/split.ts';
import { checkedColumnWeights, checkedRowWeights } from '../rows/weights.ts';
import { checkBitsSize } from './bits/plan.ts';
import { checksFor } from './checks.ts';
import { methodDefaults } from './defaults.ts';
import { checkHidden } from './hidden.ts';
import { FIT_OPTIONS, type FitOptions } from './options.ts';
import { checkChosen, checkRelaxation, isRelaxed, RELAXED_RADIUS, type Relaxation } from './prices.ts';
import { refines } from './refine/whether.ts';
import { checkExclusions, exclusionIn } from './refusals.ts';

/**
 * The options of `fit` after checks, with every default filled in. `FitOptions` explains what each is for.
 */
export interface Settings {
  /** Which trainer learns. */
  readonly method: 'fast' | 'bits' | 'paper' | 'paper-text';
  readonly H: number;
  readonly bias: boolean;
  readonly loss: Loss;
  /** The ridge; if it is still to be chosen, the one that learning begins with. */
  readonly ridge: number;
  /** What decides the ridge: the options, the weights, or the validation rows. */
  readonly ridgeFrom: 'options' | 'weights' | 'validation';
  /** eps_v, in the box of radius 1. */
  readonly l1: Relaxation;
  /** V x H: the pairs whose weights exist. Absent: all. */
  readonly chosen?: Uint8Array;
  /** The most other columns that predict a column. */
  readonly neighbours: number;
  readonly encoding: Encoding;
  /**
   * The set that codes are confined to, if it is not the box; `radius` is its size while they are learned.
   */
  readonly set?: CodeSet;
  /** Codes are held within this radius while they are learned; Infinity if their scale does not matter. */
  readonly radius: number;
  /** Infinity if time alone ends the run. */
  readonly epochs: number;
  /** Seconds; Infinity when there is no budget. */
  readonly timeBudget: number;
  readonly minImprovement: number;
  readonly batch: number;
  readonly rate: number;
  /** Conjugate-gradient steps on the codes of a minibatch, at most. */
  readonly codeSteps: number;
  /** A code is left alone once its next step is expected to gain less than this many nats. */
  readonly codeTolerance: number;
  readonly certify: boolean;
  readonly keepCodes: boolean;
  readonly seed: number;
  /** V x width. */
  readonly start?: Float32Array;
  readonly validation?: number | Rows;
  readonly rowWeights?: Float64Array;
  readonly columnWeights?: Float32Array;
}

/** Options with the validation rows read. */
export type ReadOptions = Omit<FitOptions, 'validation'> & { readonly validation?: number | Rows };

/** What is known about the rows before any is read. */
interface RowsShape {
  readonly n: number;
  readonly V: number;
  /** Whether they are too many to keep, so that they are read again in each epoch. */
  readonly streamed?: boolean;
}

/** Checks the options of `fit` and fills in defaults for rows of this shape. Nothing else reads options. */
export function resolveSettings(options: ReadOptions, { n, V, streamed }: RowsShape): Settings {
  const check = checksFor('fit');
  check.known(options, FIT_OPTIONS);
  checkExclusions('fit', options);
  if (!(n >= 1)) throw new RangeError(`fit: rows must hold at least one row, got ${n}`);
  if (!(V >= 1)) throw new RangeError(`fit: rows must have at least one column, got ${V}`);
  const { H, encoding = 'box', loss = crossEntropy, seed = 1, minImprovement = 0 } = options;
  const { algorithm = 'fast', timeBudget = Number.POSITIVE_INFINITY, start } = options;
  const { codes = defaultCodes(options, n) } = options;
  check.whole('H', H, 1);
  checkHidden('fit', H, { V, n });
  check.oneOf('encoding', encoding, encodingNames);
  check.oneOf('algorithm', algorithm, ['fast', 'paper', 'paper-text']);
  check.oneOf('codes', codes, ['keep', 'recompute']);
  check.loss(loss);
  check.whole('seed', seed, 0);
  check.notNegative('minImprovement', minImprovement);
  if (options.batch !== undefined) check.whole('batch', options.batch, 1);
  if (timeBudget !== Number.POSITIVE_INFINITY) check.positive('timeBudget', timeBudget);
  const validation = checkedValidation(options, V);
  const rowWeights = options.rowWeights && checkedRowWeights(options.rowWeights, n, 'fit');
  const columnWeights = options.columnWeights && checkedColumnWeights(options.columnWeights, V, 'fit');
  const kind = encodingOf(encoding);
  const method = kind.discrete ? 'bits' : algorithm;
  if (method === 'bits') checkBits(start, { n, V }, H);
  const asked = typeof options.ridge === 'number' ? options.ridge : undefined;
  const learned = rowsLearned(n, { validation, rowWeights });
  const l1 = checkRelaxation(options, V);
  const chosen = checkChosen(options, V);
  const keepCodes = codes === 'keep';
  const newtonian = options.engine?.newtonian(loss, H) ?? true;
  const plan = { encoding: kind, keepCodes, l1, chosen, loss, ridge: asked ?? 1 };
  const refined = refines(plan) && newtonian && !streamed;
  const anew = !keepCodes || streamed === true;
  const defaults = methodDefaults[method](learned, { ...options, V, refines: refined, anew });
  const { rate = defaults.rate } = options;
  // The epochs of the paper's procedure are part of it: time can only cut them short.
  const timed = options.timeBudget && (method === 'fast' || method === 'bits');
  const neighbours = checkedNeighbours(options, V, validation !== undefined);
  const usualEpochs = neighbours > 0 ? Math.min(defaults.epochs, ROUGH_EPOCHS) : defaults.epochs;
  const { epochs = timed ? Number.POSITIVE_INFINITY : usualEpochs } = options;
  const ridge = asked ?? defaults.ridge;
  if (epochs !== Number.POSITIVE_INFINITY) check.whole('epochs', epochs, 1);
  check.notNegative('ridge', ridge);
  check.positive('rate', rate);
  const given = options.ridge === 'auto' ? 'validation' : 'options';
  // Neighbours are learned to complete rows, which works best with a ridge chosen for that.
  const usual = neighbours > 0 && method === 'fast' && !isRelaxed(l1) ? 'validation' : defaults.ridgeFrom;
  const ridgeFrom = options.ridge === undefined ? usual : given;
  if (ridgeFrom === 'validation' && validation === undefined)
    throw new RangeError("fit: ridge 'auto' needs validation rows; set validation, say to 0.1");
  return {
    method,
    H,
    bias: options.bias ?? defaults.bias,
    loss,
    ridge,
    ridgeFrom,
    l1,
    chosen,
    neighbours,
    encoding: kind,
    set: setOf(kind),
    radius: isRelaxed(l1) ? RELAXED_RADIUS : kind.learningRadius(H),
    epochs,
    timeBudget,
    minImprovement,
    batch: defaults.batch,
    rate,
    codeSteps: codes === 'recompute' ? 12 : 8,
    codeTolerance: 0.05,
    certify: options.certify ?? true,
    keepCodes,
    seed,
    start,
    validation,
    rowWeights,
    columnWeights,
  };
}

/** Codes of more than a GiB are recomputed in each epoch, unless another option needs them kept. */
function defaultCodes(options: ReadOptions, n: number): 'keep' | 'recompute' {
  const large = 4 * n * (options.H + 1) > KEPT_CODES;
  return large && !exclusionIn({ ...options, codes: 'recompute' }) ? 'recompute' : 'keep';
}

const KEPT_CODES = 2 ** 30;

/** The option `validation`, checked: a share of the training rows, or other rows. */
function checkedValidation({ validation }: ReadOptions, V: number): number | Rows | undefined {
  if (typeof validation === 'number') {
    if (validation > 0 && validation < 1) return validation;
    throw new RangeError(`fit: validation must be rows or a share between 0 and 1, got ${validation}`);
  }
  if (!validation || validation.V === V) return validation;
  throw new RangeError(
    `fit: validation rows have ${counted(validation.V, 'column')}, the training rows ${V}`,
  );
}

/** The option `neighbours`, checked: it needs held-out rows, a smooth Psi and not too many columns. */
function checkedNeighbours(
  { neighbours = 0, loss = crossEntropy }: ReadOptions,
  V: number,
  held: boolean,
): number {
  checksFor('fit').whole('neighbours', neighbours, 0);
  if (neighbours === 0) return 0;
  if (!held) throw new RangeError('fit: neighbours need validation rows; set validation, say to 0.1');
  if (V > MOST_LISTENING)
    throw new RangeError(
      `fit: neighbours are for tables of up to ${MOST_LISTENING} columns, and there are ${V}`,
    );
  if (!Number.isFinite(loss.curvature))
    throw new RangeError(`fit: neighbours need a loss without kinks, and ${loss.name} has them`);
  return neighbours;
}

/** The most columns of a table whose columns have neighbours. */
export const MOST_LISTENING = 4096;

/**
 * Epochs when neighbours are learned afterwards, for which rough codes are enough
 * (docs/notes/hidden-entries.md).
 */
const ROUGH_EPOCHS = 12;

function checkBits(start: Float32Array | undefined, { n, V }: RowsShape, H: number): void {
  checkBitsSize({ n, V }, H);
  if (start === undefined || start.length === V * (H + 1)) return;
  throw new RangeError(
    `fit: start must hold V x (H + 1) = ${V} x ${H + 1} weights, the bias last, got ${counted(start.length, 'number')}`,
  );
}

/** The number of training rows, without those held out and those of weight 0. */
function rowsLearned(
  n: number,
  { validation, rowWeights }: Pick<Settings, 'validation' | 'rowWeights'>,
): number {
  const counted = rowWeights ? rowWeights.filter((weight) => weight > 0).length : n;
  return typeof validation === 'number' ? counted - heldCount(counted, validation) : counted;
}

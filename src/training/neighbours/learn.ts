import type { Engine } from '../../engine/engine.ts';
import { counted } from '../../rows/counted.ts';
import type { Rows } from '../../rows/rows.ts';
import type { Link, NeighbourPass, Neighbours } from '../../solvers/neighbours.ts';
import { filledIn, listen } from '../../solvers/neighbours.ts';
import { chooseColumns } from './choose.ts';
import { hiddenLoss, type Masked, type Masking, maskRows } from './masked.ts';
import { byColumns, columnProblem, columnWeights, type MaskedColumns } from './weights.ts';

export interface NeighbourSettings extends Link, Pick<Masking, 'seed' | 'scoresOf'> {
  /** The most neighbours of a column. */
  readonly K: number;
  readonly shrink: number;
  /** The weight of each training row. Default: all equal. */
  readonly rowWeights?: ArrayLike<number>;
  /** Called with the share of the work that is done. */
  readonly onProgress?: (fraction: number) => void;
  /** Whether there is time for another column. Unfinished passes are left out. Default: always. */
  readonly inTime?: () => boolean;
}

/**
 * Learns how each column's neighbours predict it beyond the code. Known entries of the training rows are
 * hidden at random; the neighbours, the ridge and the number of passes are those that guess hidden entries of
 * the validation rows best. No pass at all is one of the choices.
 */
export async function learnNeighbours(
  engine: Engine,
  training: Rows,
  validation: Rows,
  settings: NeighbourSettings,
): Promise<Neighbours> {
  const { shrink, groups, seed, scoresOf } = settings;
  const K = Math.min(settings.K, training.V - 1);
  const masking = { hide: HIDE, groups, scoresOf };
  const copies = Math.max(
    1,
    Math.min(MOST_COPIES, Math.ceil(ENTRIES / (HIDE * validation.n * validation.V))),
  );
  let judged = await maskRows(validation, { ...masking, copies, seed: seed + 1 });
  let learned = await maskRows(training, { ...masking, copies: COPIES, seed });
  const alone = lossOf(judged, settings);
  if (Number.isNaN(alone))
    throw new RangeError(
      `fit: neighbours are judged by hidden entries, and ${counted(validation.n, 'validation row')} had none to hide; ` +
        'hold more rows out, say validation 0.5',
    );
  const passes: NeighbourPass[] = [];
  let best = alone;
  let ridge = MIDDLE;
  const work = new Work(engine, settings, training.V);
  while (passes.length < MOST_PASSES && K > 0) {
    const filled = filledIn(learned, settings);
    const columns = await chooseColumns(engine, learned, filled, K);
    const at = { learned: byColumns(learned, filled), columns };
    if (passes.length === 0) ridge = await chooseRidge(work, at, judged, settings);
    const pass = await learnPass(work, at, settings, ridge);
    if (!pass) break;
    const next = { ...judged, scores: listen(pass, judged, filledIn(judged, settings)) };
    const loss = lossOf(next, settings);
    if (!(loss < WORTHWHILE * best)) break;
    passes.push(pass);
    best = loss;
    judged = next;
    learned = { ...learned, scores: listen(pass, learned, filled) };
  }
  return { K, shrink, passes, entryLoss: best, entryLossAlone: alone };
}

/**
 * The share of known entries that is hidden, and the copies of each training row that hide different ones.
 */
const HIDE = 0.2;
const COPIES = 4;
/** Hidden validation entries, enough to compare choices; but the copies of a row are limited. */
const ENTRIES = 50_000;
const MOST_COPIES = 5;
const MOST_PASSES = 2;
/** A pass stays if it lowers the loss of hidden validation entries to this share. */
const WORTHWHILE = 0.998;

/** Goes through columns one by one, reports progress and notices the end of time. */
class Work {
  readonly engine: Engine;
  readonly #settings: NeighbourSettings;
  readonly #columns: number;
  #done = 0;

  constructor(engine: Engine, settings: NeighbourSettings, V: number) {
    this.engine = engine;
    this.#settings = settings;
    this.#columns = MOST_PASSES * V + USUAL_TRIALS * Math.min(V, TRIED);
  }

  /** Whether there is time for one more column. */
  async next(): Promise<boolean> {
    const { onProgress, inTime = () => true } = this.#settings;
    onProgress?.(Math.min(1, this.#done++ / this.#columns));
    await this.engine.turn();
    return inTime();
  }
}

/** The usual number of ridges tried, for estimates of progress. */
const USUAL_TRIALS = 4;

/** What a pass is learned from: rows with gaps filled by the passes before, and each column's neighbours. */
interface Stage {
  readonly learned: MaskedColumns;
  readonly columns: Int32Array;
}

/** The weights of all columns; undefined if time runs out. */
async function learnPass(
  work: Work,
  at: Stage,
  settings: NeighbourSettings,
  ridge: number,
): Promise<NeighbourPass | undefined> {
  const { V } = at.learned;
  const K = at.columns.length / V;
  const W = new Float32Array(V * (K + 2));
  for (let v = 0; v < V; v++) {
    if (!(await work.next())) return undefined;
    const problem = problemOf(at, v, settings);
    W.set(await columnWeights(work.engine, problem, settings.loss, ridge), v * (K + 2));
  }
  return { columns: at.columns, W };
}

function problemOf({ learned, columns }: Stage, v: number, { rowWeights }: NeighbourSettings) {
  const K = columns.length / learned.V;
  return columnProblem(learned, v, columns.subarray(v * K, (v + 1) * K), rowWeights);
}

/** Tries a middle ridge, then stronger and then weaker ones as long as they help, on some of the columns. */
async function chooseRidge(
  work: Work,
  at: Stage,
  judged: Masked,
  settings: NeighbourSettings,
): Promise<number> {
  const { V } = judged;
  const K = at.columns.length / V;
  const count = Math.min(V, TRIED);
  const only = Uint32Array.from({ length: count }, (_, k) => Math.floor((k * V) / count));
  const filled = filledIn(judged, settings);
  const problems = Array.from(only, (v) => problemOf(at, v, settings));
  const attempt = async (ridge: number) => {
    const W = new Float32Array(V * (K + 2));
    for (const [k, problem] of problems.entries()) {
      if (!(await work.next())) return Number.POSITIVE_INFINITY;
      W.set(await columnWeights(work.engine, problem, settings.loss, ridge), only[k] * (K + 2));
    }
    const pass = { columns: at.columns, W };
    return lossOf({ ...judged, scores: listen(pass, judged, filled) }, settings, only);
  };
  let best = { ridge: MIDDLE, loss: await attempt(MIDDLE) };
  for (const step of [STEP, 1 / STEP]) {
    const before = best;
    for (let ridge = best.ridge * step; ridge < MOST_RIDGE && ridge > LEAST_RIDGE; ridge *= step) {
      const loss = await attempt(ridge);
      if (!(loss < best.loss)) break;
      best = { ridge, loss };
    }
    if (best !== before) break;
  }
  return best.ridge;
}

/** Ridges on the scale of sums over the rows where a column was hidden. */
const MIDDLE = 20;
const STEP = 3;
const MOST_RIDGE = 2000;
const LEAST_RIDGE = 0.1;
/** Columns on which ridges are tried. */
const TRIED = 6;

/** The mean loss of the hidden entries at the present scores. */
function lossOf(masked: Masked, link: Link, columns?: Uint32Array): number {
  return hiddenLoss(masked, filledIn(masked, link), link.loss, columns);
}

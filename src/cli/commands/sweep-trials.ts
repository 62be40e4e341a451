import { type HSweepSeries, hSweepFigure } from '../../figures/h-sweep.ts';
import { writeAtomic } from '../../formats/node/atomic.ts';
import type { OpenedSource } from '../../formats/options.ts';
import type { Loss } from '../../losses/loss.ts';
import { describeData } from '../data.ts';
import type { Session } from '../session.ts';
import { number, table, unitOf } from '../text.ts';

/** What one model of the sweep came to; losses are means per row. */
export interface Trial {
  readonly H: number;
  readonly ridge: number;
  readonly l1: number;
  readonly trainingLoss: number;
  readonly heldOutLoss: number;
  /**
   * Mean loss of an entry of held-out rows that was hidden and guessed; of codes of bits it is not measured.
   */
  readonly entryLoss?: number;
  /** The same for guesses by the columns' means alone. */
  readonly entryLossAtBaseRates?: number;
  /** Of models along several relaxations: share of zero weights, and the worst case under a drift of l1. */
  readonly zeros?: number;
  readonly bound?: number;
  readonly seconds: number;
}

/** What a sweep came to. */
export interface Swept {
  /** Rows learned from, and rows measured on. */
  readonly n: number;
  readonly held: number;
  readonly trials: readonly Trial[];
}

/**
 * The table, the plot, and the best trial: by hidden entries where they were measured, else by held-out rows.
 */
export async function reportSweep(
  session: Session,
  options: { readonly loss: Loss; readonly output?: string; readonly force?: boolean },
  source: OpenedSource,
  { n, held, trials }: Swept,
): Promise<void> {
  const judged = (trial: Trial) => trial.entryLoss ?? trial.heldOutLoss;
  const best = trials.reduce((a, b) => (judged(b) < judged(a) ? b : a));
  const unit = unitOf(options.loss);
  const { output, force } = options;
  if (output) await writeAtomic(output, [plot(trials, unit)], { force });
  const { seconds } = session;
  const text = best.zeros === undefined ? sizesTable(trials, best, unit) : relaxationsTable(trials, unit);
  await session.result(
    { n, held, unit, trials, best, plot: output, seconds, data: describeData(source) },
    text + (output ? `${output}: the plot\n` : ''),
  );
}

function sizesTable(trials: readonly Trial[], best: Trial, unit: string): string {
  const guessed = best.entryLoss !== undefined;
  const lines = table([
    ['H', 'ridge', 'train', 'held-out', ...(guessed ? ['hidden entry'] : []), 'seconds'],
    ...trials.map((trial) => [
      String(trial.H),
      number(trial.ridge),
      number(trial.trainingLoss),
      number(trial.heldOutLoss),
      ...(trial.entryLoss === undefined ? [] : [number(trial.entryLoss)]),
      number(trial.seconds),
      ...(trial === best ? [guessed ? 'lowest loss of hidden entries' : 'lowest held-out loss'] : []),
    ]),
  ]);
  if (!guessed) return `${lines}losses in ${unit} per row\n`;
  const { entryLoss = 0, entryLossAtBaseRates = 0 } = best;
  const verdict =
    entryLoss < entryLossAtBaseRates
      ? ''
      : ': no model here does better; a stronger ridge may, as in --ridge 1';
  return (
    `${lines}losses are in ${unit} per row, those of hidden entries in ${unit} per entry\n` +
    `a hidden entry guessed by base rates alone costs ${number(entryLossAtBaseRates)}${verdict}\n`
  );
}

function relaxationsTable(trials: readonly Trial[], unit: string): string {
  const lines = table([
    ['l1', 'train', 'held-out', 'zero weights', 'bound', 'seconds'],
    ...trials.map(({ l1, trainingLoss, heldOutLoss, zeros = 0, bound = Number.NaN, seconds }) => [
      String(l1),
      ...[trainingLoss, heldOutLoss, `${number(100 * zeros)}%`, bound, seconds],
    ]),
  ]);
  return `${lines}losses and bounds in ${unit} per row; the bound is for data whose correlations are off by l1\n`;
}

function plot(trials: readonly Trial[], unit: string): string {
  const ridges = [...new Set(trials.map(({ ridge }) => ridge))];
  const series: HSweepSeries[] = [];
  const entries: HSweepSeries[] = [];
  for (const ridge of ridges) {
    const some = trials.filter((trial) => trial.ridge === ridge);
    const H = some.map((trial) => trial.H);
    const name = ridges.length > 1 ? `, ridge ${number(ridge)}` : '';
    const add = (to: HSweepSeries[], label: string, loss: (trial: Trial) => number) =>
      to.push({ label, H, loss: some.map(loss) });
    add(series, `held-out${name}`, (trial) => trial.heldOutLoss);
    add(series, `train${name}`, (trial) => trial.trainingLoss);
    add(entries, `hidden entry${name}`, (trial) => trial.entryLoss ?? Number.NaN);
    if (ridge === ridges.at(-1))
      add(entries, 'base rates', (trial) => trial.entryLossAtBaseRates ?? Number.NaN);
  }
  const measured = trials.some((trial) => trial.entryLoss !== undefined);
  return hSweepFigure({
    series,
    unit: `${unit} per row`,
    entryUnit: `${unit} per hidden entry`,
    entries: measured ? entries : undefined,
  });
}

import { fitLogisticColumns, guessLogistic } from '../../baselines/logistic-columns.ts';
import { guessByNearest } from '../../baselines/nearest-rows.ts';
import type { Engine } from '../../engine/engine.ts';
import { crossEntropy } from '../../losses/cross-entropy.ts';
import { compareHidden, evaluateHidden } from '../../model/evaluate-hidden.ts';
import { fit } from '../../model/fit.ts';
import { PCAE } from '../../model/model.ts';
import type { ColumnGroup } from '../../rows/about.ts';
import { normaliseGroups } from '../../rows/groups.ts';
import { hideEntries } from '../../rows/hide.ts';
import type { Rows } from '../../rows/rows.ts';
import { baseRates } from '../../solvers/base-rates.ts';
import type { Session } from '../session.ts';
import { number, table } from '../text.ts';
import { showFit } from '../training.ts';

/**
 * What a method pays for an entry of a held-out row that was hidden, in nats, and how often its likelier
 * value is wrong.
 */
interface Guesser {
  readonly method: string;
  readonly entryLoss: number;
  readonly wrong: number;
  readonly seconds: number;
}

/** Hides a share of the entries of the held-out rows and has each method guess them from the rest. */
export async function compareOnHidden(
  training: Rows,
  held: Rows,
  options: {
    readonly hide: number;
    readonly H: number;
    readonly K: number;
    readonly seed: number;
    readonly groups?: readonly ColumnGroup[];
  },
  engine: Engine,
  session: Session,
): Promise<Guesser[]> {
  const { hide, H, K, seed, groups } = options;
  const { signal } = session.io;
  const { shown, hidden } = hideEntries(held, hide, seed, groups);
  const out: Guesser[] = [];
  let began = session.seconds;
  const enter = (method: string, losses: { readonly entryLoss: number; readonly wrong: number }) => {
    const { entryLoss, wrong } = losses;
    out.push({ method, entryLoss, wrong, seconds: session.seconds - began });
    began = session.seconds;
  };
  const guessed = (shares: Float32Array) =>
    compareHidden(hidden, groups ? normaliseGroups(shares, held.V, groups) : shares, crossEntropy);
  const rates = baseRates({ rows: training });
  enter('base rates', guessed(Float32Array.from({ length: held.n * held.V }, (_, k) => rates[k % held.V])));
  enter('50 nearest rows', guessed(await guessByNearest(engine, training, shown)));
  const onProgress = session.showing('logistic regressions');
  const logistic = await fitLogisticColumns(engine, training, { seed, onProgress });
  enter('logistic regression per column', guessed(await guessLogistic(engine, logistic, shown)));
  const learning = { H, seed, engine, signal, validation: 0.1, neighbours: K, onProgress: showFit(session) };
  const model = await fit(training, learning);
  const alone = new PCAE({ ...model, neighbours: undefined });
  enter('PC-AE with neighbours', await evaluateHidden(model, held, { hide, seed, engine, signal }));
  enter('PC-AE, codes alone', await evaluateHidden(alone, held, { hide, seed, engine, signal }));
  return out;
}

export function hiddenTable(guessers: readonly Guesser[]): string {
  return table([
    ['method', 'nats per hidden entry', 'wrong', 'seconds'],
    ...guessers.map(({ method, entryLoss, wrong, seconds }) => [
      ...[method, number(entryLoss), `${number(100 * wrong)}%`, number(seconds)],
    ]),
  ]);
}

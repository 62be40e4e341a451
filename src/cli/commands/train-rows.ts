/**
 * The rows that `pcae train` learns from: their weights and noise, and what is held out for which purpose.
 */

import { openSource } from '../../formats/node/open.ts';
import type { OpenedSource } from '../../formats/options.ts';
import { collect } from '../../rows/memory.ts';
import type { Rows } from '../../rows/rows.ts';
import { selectRows } from '../../rows/select.ts';
import type { RowSource } from '../../rows/source.ts';
import { holdOut } from '../../rows/split.ts';
import type { FitOptions } from '../../training/options.ts';
import { MOST_LISTENING } from '../../training/settings.ts';
import { fitsInMemory } from '../../training/training-set.ts';
import { type DataOptions, openAlike, openOptions } from '../data.ts';
import { learnsToFill } from '../gaps.ts';
import type { Session } from '../session.ts';
import { NEIGHBOURS, type TrainingOptions } from '../training-options.ts';
import { readWeights } from '../weights.ts';

export interface RowOptions extends DataOptions, TrainingOptions {
  readonly ridge?: number | 'auto';
  readonly neighbours?: number;
  readonly validation?: number | string;
  readonly calibrate?: number | string;
  readonly rowWeights?: string;
  readonly columnWeights?: string;
  readonly noise?: { readonly mask: number };
  readonly clean?: string;
  readonly l1File?: string;
}

/** The weights of rows and columns, and the noise in the rows. */
export async function weightsAndNoise(
  options: RowOptions,
  source: OpenedSource,
): Promise<Partial<FitOptions>> {
  const { rowWeights, columnWeights, noise, clean } = options;
  return {
    rowWeights: rowWeights ? await readWeights(rowWeights, source.n, 'row') : undefined,
    columnWeights: columnWeights ? await readWeights(columnWeights, source.V, 'column') : undefined,
    noise: clean
      ? { clean: await collect(await openSource(clean, { ...openOptions(options), like: source })) }
      : noise,
  };
}

/**
 * Neighbours, ridge, and the rows that they are chosen on. Unless options say otherwise, a table with gaps is
 * learned so that the gaps can be filled in.
 */
export async function forFilling(
  options: RowOptions,
  source: OpenedSource,
  session: Session,
): Promise<Pick<FitOptions, 'ridge' | 'neighbours' | 'validation'>> {
  const neighbours = askedNeighbours(options);
  const { ridge } = options;
  const held = await validationRows(options, source);
  if (await learnsToFill(options, source)) {
    if (typeof held === 'object' || (await fitsInMemory(source))) {
      const better = source.V <= MOST_LISTENING ? '; --neighbours may guess them better still' : '';
      session.say(`the table has gaps: the ridge is chosen for filling them in (--ridge auto)${better}`);
      return { ridge: 'auto', validation: held ?? 0.1 };
    }
    session.say(
      'the table has gaps, but is too large to hold some of its rows out. To learn a model that fills gaps in, choose the ridge ' +
        'by other rows: --ridge auto --validation FILE',
    );
  }
  if (options.time !== undefined && (await learnsToFill({ ...options, time: undefined }, source)))
    session.say(
      'the table has gaps: for a model that fills them in, use --ridge auto, which takes up to half of the time',
    );
  const validation = held ?? (ridge === 'auto' || neighbours ? 0.1 : undefined);
  return { ridge, neighbours, validation };
}

/** `--neighbours` without a count is the default one. */
function askedNeighbours({ neighbours }: RowOptions): number | undefined {
  return (neighbours as unknown) === true ? NEIGHBOURS : neighbours;
}

async function validationRows(options: RowOptions, source: OpenedSource): Promise<number | Rows | undefined> {
  const { validation } = options;
  if (typeof validation !== 'string') return validation;
  return collect(await openAlike(validation, source, options));
}

/** The rows to learn from, and those to calibrate with: a share of them, or another file. */
export async function heldToCalibrate(
  source: OpenedSource,
  options: RowOptions,
): Promise<{ source: OpenedSource; calibrating?: RowSource }> {
  const { calibrate: held, seed } = options;
  if (held === undefined) return { source };
  if (typeof held === 'string') return { source, calibrating: await openAlike(held, source, options) };
  const parts = holdOut(source.n, held, seed);
  return {
    source: { ...source, ...selectRows(source, parts.kept) },
    calibrating: selectRows(source, parts.held),
  };
}

import { chordsOf, DUAL_CELLS, type Ends, endsOf } from '../../losses/chords.ts';
import { crossEntropy } from '../../losses/cross-entropy.ts';
import { hamming } from '../../losses/hamming.ts';
import type { Loss } from '../../losses/loss.ts';
import { straightFrom } from '../../losses/straight.ts';
import type { JobFields } from './job.ts';
import { constants } from './layout.generated.ts';
import type { Memory } from './memory.ts';

/** Tables that are kept. */
const KEPT = 8;
/**
 * Cells of a table: the least number, and the most that a loss gets which bends over a wide range of scores.
 */
const FEWEST = 2 ** 13;
const MOST = 2 ** 16;
/** What Psi' may be off by between nodes before a table gets more cells. */
const ACCURACY = 1e-5;
/** No table reaches farther: float32 scores beyond are further apart than 1. */
const FARTHEST = 2 ** 24;

/**
 * For operations that need something that bends where Psi has kinks: the width over which slopes rise there.
 */
export const SMOOTHING = 0.25;

/**
 * How the kernels are told which loss to use. Cross-entropy and Hamming have kernels of their own. Any other
 * loss is sampled once: Psi, Psi', Psi'' and the transfer function on an even grid that covers the scores
 * where Psi bends. Between nodes Psi' is interpolated linearly; for a Psi that bends as cross-entropy's does
 * the error of Psi' is below 1e-6. Beyond the grid Psi is a straight line. Proofs have float64 tables of
 * their own (src/losses/chords.ts).
 */
export class LossTables {
  readonly #memory: Memory;
  readonly #tables = new Map<Loss, JobFields>();
  readonly #chords = new Map<Loss, JobFields>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** For operations on the loss as it is. */
  fields(loss: Loss): JobFields {
    if (loss === crossEntropy) return { loss: constants.CROSS_ENTROPY };
    if (loss === hamming) return { loss: constants.HAMMING };
    return this.#kept(this.#tables, loss, () => this.#sample(loss), 'table');
  }

  /** What proofs need besides. */
  chords(loss: Loss): JobFields {
    if (loss === crossEntropy) return {};
    return this.#kept(this.#chords, loss, () => this.#takeChords(loss), 'wells', 'conjugates');
  }

  #kept(
    kept: Map<Loss, JobFields>,
    loss: Loss,
    make: () => JobFields,
    ...addresses: ('table' | 'wells' | 'conjugates')[]
  ): JobFields {
    let fields = kept.get(loss);
    if (fields) return fields;
    fields = make();
    kept.set(loss, fields);
    const [[oldest, old]] = kept;
    if (kept.size > KEPT) {
      kept.delete(oldest);
      for (const name of addresses) this.#memory.free(old[name] as number);
    }
    return fields;
  }

  #sample(loss: Loss): JobFields {
    const ends = endsOf(loss);
    const { from, to, cells } = gridOf(loss, ends);
    const size = cells + 1;
    // The kernels count in float32: nodes are where they look for them.
    const tableFrom = Math.fround(from);
    const tableStep = Math.fround((to - from) / cells);
    const table = this.#memory.allocate(16 * size, `the table of loss "${loss.name}"`);
    const nodes = this.#memory.floats(table, 4 * size);
    for (let k = 0; k < size; k++) {
      const m = tableFrom + k * tableStep;
      nodes[4 * k] = loss.psi(m);
      nodes[4 * k + 1] = loss.psiPrime(m);
      nodes[4 * k + 2] = Math.min(loss.psiSecond(m), 1 / tableStep);
      nodes[4 * k + 3] = loss.transfer(m);
    }
    nodes[1] = ends.slopeFrom;
    nodes[4 * cells + 1] = ends.slopeTo;
    const { slopeFrom, slopeTo } = ends;
    const centre = (from + to) / 2;
    const beyond = { from: tableFrom, to: tableFrom + cells * tableStep, slopeFrom, slopeTo, centre };
    return { loss: constants.TABLE, table, tableSize: size, tableFrom, tableStep, ...beyond };
  }

  #takeChords(loss: Loss): JobFields {
    const { psi, nodes, conjugate, ...numbers } = chordsOf(loss);
    const [wells, conjugates] = [psi, conjugate].map((values) => {
      const at = this.#memory.allocate(8 * values.length, `the chords of loss "${loss.name}"`);
      this.#memory.doubles(at, values.length).set(values);
      return at;
    });
    return { wells, wellNodes: nodes, conjugates, dualCells: DUAL_CELLS, ...numbers };
  }
}

/**
 * The scores that a table covers, and in how many cells. It ends where the slopes are within `slack` of -1
 * and 1. In a cell Psi' is off by step^2 |Psi'''| / 8 at most, and Psi''' is about the square of the
 * curvature (a fifth for cross-entropy, whose curvature is a half). Of tails so long that the cells would be
 * coarse, some is given up, until neither error is much larger than the other.
 */
function gridOf(loss: Loss, ends: Ends): { from: number; to: number; cells: number } {
  const curvature = Number.isFinite(loss.curvature) ? loss.curvature : crossEntropy.curvature;
  for (let slack = 1e-7; ; slack *= 4) {
    // A kink is where the table ends.
    const from =
      ends.slopeFrom > -1
        ? ends.from
        : -straightFrom((m) => Math.max(loss.psiPrime(-m), loss.transfer(-m)) <= -1 + slack, FARTHEST);
    const to =
      ends.slopeTo < 1
        ? ends.to
        : straightFrom((m) => Math.min(loss.psiPrime(m), loss.transfer(m)) >= 1 - slack, FARTHEST);
    const needed = Math.ceil(((to - from) * curvature) / Math.sqrt(8 * ACCURACY));
    const cells = Math.max(FEWEST, Math.min(MOST, needed));
    const error = (((to - from) / cells) * curvature) ** 2 / 8;
    if (error <= Math.max(slack, ACCURACY) || slack > 0.01) return { from, to, cells };
  }
}

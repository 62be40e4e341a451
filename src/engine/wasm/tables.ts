import { crossEntropy } from '../../losses/cross-entropy.ts';
import { hamming } from '../../losses/hamming.ts';
import type { Loss } from '../../losses/loss.ts';
import { straightFrom } from '../../losses/straight.ts';
import { constants } from './binary.generated.ts';
import type { JobFields } from './job.ts';
import type { Memory } from './memory.ts';

/** Tables that are kept. */
const KEPT = 8;
/** Cells of a table: the least number, and the most that a loss gets which bends over a wide range of scores. */
const FEWEST = 2 ** 13;
const MOST = 2 ** 16;
/** What Psi' may be off by between nodes before a table gets more cells. */
const ACCURACY = 1e-5;
/** No table reaches farther: float32 scores beyond are further apart than 1. */
const FARTHEST = 2 ** 24;

/**
 * How the kernels are told which loss to use. Cross-entropy and Hamming have kernels of their own. Any other loss
 * is sampled once: Psi, Psi', Psi'' and the transfer function on an even grid that covers the scores where Psi
 * bends. Between nodes Psi' is interpolated linearly; for a Psi that bends as cross-entropy's does the error of Psi'
 * is below 1e-6. Beyond the grid Psi is a straight line.
 */
export class LossTables {
  readonly #memory: Memory;
  readonly #tables = new Map<Loss, JobFields>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  fields(loss: Loss): JobFields {
    if (loss === crossEntropy) return { loss: constants.CROSS_ENTROPY };
    if (loss === hamming) return { loss: constants.HAMMING };
    let fields = this.#tables.get(loss);
    if (!fields) {
      fields = this.#sample(loss);
      this.#tables.set(loss, fields);
      const [oldest] = this.#tables;
      if (this.#tables.size > KEPT) this.#forget(...oldest);
    }
    return fields;
  }

  #forget(loss: Loss, fields: JobFields): void {
    this.#tables.delete(loss);
    this.#memory.free(fields.table as number);
  }

  #sample(loss: Loss): JobFields {
    const { from, to, cells } = gridOf(loss);
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
    // Beyond the table Psi goes on with the slope of its ends, so that no loss there comes out below 0.
    nodes[1] = -1;
    nodes[4 * cells + 1] = 1;
    return { loss: constants.TABLE, table, tableSize: size, tableFrom, tableStep };
  }
}

/**
 * The scores that a table covers, and in how many cells. It ends where the slopes are within `slack` of -1 and 1. In a
 * cell Psi' is off by step^2 |Psi'''| / 8 at most, and Psi''' is about the square of the curvature (a fifth for
 * cross-entropy, whose curvature is a half). Of tails so long that the cells would be coarse, some is given up, until
 * neither error is much larger than the other.
 */
function gridOf(loss: Loss): { from: number; to: number; cells: number } {
  const curvature = Number.isFinite(loss.curvature) ? loss.curvature : crossEntropy.curvature;
  for (let slack = 1e-7; ; slack *= 4) {
    const from = -straightFrom((m) => Math.max(loss.psiPrime(-m), loss.transfer(-m)) <= -1 + slack, FARTHEST);
    const to = straightFrom((m) => Math.min(loss.psiPrime(m), loss.transfer(m)) >= 1 - slack, FARTHEST);
    const needed = Math.ceil(((to - from) * curvature) / Math.sqrt(8 * ACCURACY));
    const cells = Math.max(FEWEST, Math.min(MOST, needed));
    const error = (((to - from) / cells) * curvature) ** 2 / 8;
    if (error <= Math.max(slack, ACCURACY) || slack > 0.01) return { from, to, cells };
  }
}

import { crossEntropy } from '../../losses/cross-entropy.ts';
import { hamming } from '../../losses/hamming.ts';
import type { Loss } from '../../losses/loss.ts';
import { constants } from './binary.generated.ts';
import type { JobFields } from './job.ts';
import type { Memory } from './memory.ts';

/** Nodes of a table. */
const SIZE = 8193;
/** Tables that are kept. */
const KEPT = 8;
/** Scores beyond this are on Psi's straight ends, whatever the loss. */
const FARTHEST = 64;

/**
 * How the kernels are told which loss to use. Cross-entropy and Hamming have kernels of their own. Any other loss
 * is sampled once: Psi, Psi', Psi'' and the transfer function on an even grid that covers the scores where Psi
 * bends. Between nodes Psi' is interpolated linearly; for a Psi as smooth as cross-entropy's the error of Psi' is
 * below 1e-6. Beyond the grid Psi is a straight line.
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
    const from = -bend((m) => loss.psiPrime(-m) <= -1 + 1e-7 && loss.transfer(-m) <= -1 + 1e-7);
    const to = bend((m) => loss.psiPrime(m) >= 1 - 1e-7 && loss.transfer(m) >= 1 - 1e-7);
    const tableStep = (to - from) / (SIZE - 1);
    const table = this.#memory.allocate(16 * SIZE, `the table of loss "${loss.name}"`);
    const nodes = this.#memory.floats(table, 4 * SIZE);
    for (let k = 0; k < SIZE; k++) {
      const m = from + k * tableStep;
      nodes[4 * k] = loss.psi(m);
      nodes[4 * k + 1] = loss.psiPrime(m);
      nodes[4 * k + 2] = Math.min(loss.psiSecond(m), 1 / tableStep);
      nodes[4 * k + 3] = loss.transfer(m);
    }
    return { loss: constants.TABLE, table, tableSize: SIZE, tableFrom: from, tableStep };
  }
}

/** The least distance, up to a thousandth, from which on the loss is straight; a little more than 0 at least. */
function bend(straight: (m: number) => boolean): number {
  let low = 0;
  let high = FARTHEST;
  while (high - low > 1e-3 * high) {
    const middle = (low + high) / 2;
    if (straight(middle)) high = middle;
    else low = middle;
  }
  return high;
}

import { crossEntropy } from 'pc-ae';
import { rowsFromBytes } from '../rows-file.ts';
import { Bench, withFloats } from '../work/bench.ts';
import { bringOn } from '../work/codes.ts';
import { hessians } from '../work/hessians.ts';
import type { TrainJob } from './job.ts';
import { drawSample } from './sample.ts';

/**
 * How the loss bends in each w_v, by rows drawn of all shards, at their codes of the round. The coordinator
 * keeps these rows and works this out itself, while workers are at the round: a Newton step needs to know how
 * the loss bends less exactly than which way is down, and Hessians of all shards would be (H + 2) / 2 times
 * as many numbers as everything else that is sent.
 */
export class Bends {
  readonly #job: TrainJob;
  /** The hash of the rows. */
  readonly #drawn: string;
  readonly #bench: Bench;

  /** Draws the rows. */
  static async open(job: TrainJob): Promise<Bends> {
    const { table, crew, deal, seed, V } = job;
    const ask = deal.askEach.bind(deal);
    return new Bends(job, await drawSample(table, crew, { rows: bendRows(V), seed, ask }));
  }

  private constructor(job: TrainJob, drawn: string) {
    this.#job = job;
    this.#drawn = drawn;
    this.#bench = new Bench(job.engine, job.crew.store);
  }

  /** The mean over the rows, upper triangles one after the other. */
  async at(path: readonly string[]): Promise<Float64Array> {
    const { crew, V, H, width, ridge } = this.#job;
    const drawn = this.#drawn;
    const rows = rowsFromBytes(await crew.store.get(drawn, 'rows for Hessians'));
    return withFloats(this.#bench.engine, async (engine, floats, load) => {
      const [shape, block] = [{ V, H, bias: true }, load(rows)];
      const at = { block, shape, W: floats(V * width), E: floats(rows.n * width), loss: crossEntropy };
      await bringOn(engine, at, { manifest: drawn, shard: 0, path, ridge }, this.#bench);
      const sums = await hessians(engine, floats, at, rows);
      return Float64Array.from(sums, (sum) => sum / rows.n);
    });
  }
}

/** How many rows: as many as 128 MiB of scores hold. */
function bendRows(V: number): number {
  return Math.min(BEND_ROWS, Math.ceil(2 ** 25 / V));
}

const BEND_ROWS = 20_000;

import { Breath, eitherOf } from '../../rows/breath.ts';
import { type Rows, takeRows } from '../../rows/rows.ts';
import {
  type AdagradOptions,
  type AdamOptions,
  type Block,
  codesOf,
  type Engine,
  type Floats,
  type Gradients,
  type Measures,
  type Moments,
  type NewtonOptions,
  type Place,
  type Point,
  type Range,
  type Running,
  type Shape,
  type Side,
  type SolveOptions,
  type Sums,
  widthOf,
} from '../engine.ts';
import { type Host, type PlainRelaxOptions, relaxExpected } from '../expected-loss.ts';
import { HostRunning } from '../host-running.ts';
import { itemsOf } from '../items.ts';
import { preconditionOnHost } from '../mean-hessian.ts';
import { checkCurved, checkSide } from '../options.ts';
import type { Certificates, DualMove, PolishOptions, Slopes } from '../proofs.ts';
import type { AnnealOptions, FlipOptions, RelaxOptions } from '../true-bits.ts';
import { adamStep } from './adam.ts';
import { flipItem } from './flip.ts';
import { back, gradientAt, halfResiduals, type Item, itemAt, lossAt, scores } from './item.ts';
import { annealItem, enumerateItem, meanFieldStep, meansOf } from './meanfield.ts';
import { newtonMove, newtonStep } from './newton.ts';
import { polishItem } from './polish.ts';
import { correlateRows, gramOf, projectRows } from './products.ts';
import { SlopesOfItems } from './slopes.ts';
import { solveItem } from './solve.ts';
import { type ReferenceBlock, ReferenceFloats, rowsOf, storedAt, valuesOf } from './storage.ts';

/**
 * The contract in plain loops and float64 arithmetic (storage is float32, as everywhere): slow, short, the
 * same on every machine. Fast engines are tested against it, and small jobs may simply run on it.
 */
export function referenceEngine(): Engine {
  return new ReferenceEngine();
}

const breath = new Breath();

class ReferenceEngine implements Engine {
  readonly name = 'reference';
  readonly threads = 1;
  readonly usable = true;
  readonly rowsAtOnce = 4096;
  readonly #signal?: AbortSignal;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  until(signal: AbortSignal): Engine {
    return new ReferenceEngine(eitherOf(this.#signal, signal));
  }

  turn(): Promise<void> {
    return breath.between(this.#signal);
  }

  floats(length: number): Floats {
    return new ReferenceFloats(length);
  }

  newtonian(): boolean {
    return true;
  }

  running(length: number): Running {
    return new HostRunning(length);
  }

  load(rows: Rows): Block {
    const copy = takeRows(
      rows,
      Uint32Array.from({ length: rows.n }, (_, i) => i),
    );
    const block: ReferenceBlock = { n: rows.n, V: rows.V, rows: copy, free() {} };
    return block;
  }

  async solve(side: Side, at: Point, options: SolveOptions): Promise<void> {
    checkSide(side, options);
    const inverseHessian = valuesOf(options.inverseHessian);
    const linear = options.linear && valuesOf(options.linear);
    await this.#eachItem(side, at, (item, i, store) => {
      const z = solveItem(item, { inverseHessian, linear }, options);
      store(z);
      options.losses?.write([lossAt(item, scores(item, z))], i);
    });
    if (options.sums) await this.#sumOver(at, options.sums);
  }

  async adagrad(side: Side, at: Point, options: AdagradOptions): Promise<void> {
    const accumulators = valuesOf(options.accumulators);
    const radius = options.radius ?? Number.POSITIVE_INFINITY;
    await this.#eachItem(side, at, (item, i, store) => {
      const z = item.z.slice();
      const first = (side === 'codes' ? (at.offset ?? 0) + i : i) * item.width;
      for (let step = 0; step < options.steps; step++) {
        // The paper's objectives, sum_v beta_v and gamma, are twice the loss: so are their gradients.
        gradientAt(item, scores(item, z), z, 0).forEach((half, h) => {
          const g = 2 * half;
          accumulators[first + h] += g * g;
          // A coordinate that never had a gradient stays where it is.
          const moved = z[h] - (options.rate * g) / Math.sqrt(Math.max(accumulators[first + h], 1e-30));
          z[h] = Math.max(-radius, Math.min(radius, moved));
        });
      }
      store(z);
    });
  }

  async newton(side: Side, at: Point, options: NewtonOptions): Promise<void> {
    const { ridge, move, directions, decrements, losses } = options;
    checkCurved(at.loss);
    await this.#eachItem(side, at, (item, i, store) => {
      const step = newtonStep(item, ridge);
      const z = move ? newtonMove(item, step, ridge) : item.z;
      store(z);
      directions?.fill(0, i * item.width, (i + 1) * item.width);
      directions?.write(step.d, i * item.width);
      decrements?.write([step.decrement], i);
      losses?.write([lossAt(item, scores(item, z))], i);
    });
  }

  async slopes(side: Side, at: Point, moved?: DualMove, bits?: Int32Array): Promise<Slopes> {
    const width = widthOf(at.shape);
    const { start, end } = itemsOf(side, at);
    const found = new SlopesOfItems(bits?.length ?? end - start, width);
    const along = moved && 'directions' in moved ? valuesOf(moved.directions) : undefined;
    const directionOf = (item: Item, i: number) => {
      if (along) return Float64Array.from(along.subarray(i * width, (i + 1) * width));
      if (!moved || 'directions' in moved) return undefined;
      const direction = new Float64Array(width);
      direction.set(newtonStep(item, moved.ridge).d);
      return direction;
    };
    const take = (range: Range, first: number) =>
      this.#eachItem(side, { ...at, range }, (item, i) =>
        found.take(item, first + i - range.start, directionOf(item, i)),
      );
    if (!bits) await take({ start, end }, 0);
    else for (const [k, v] of bits.entries()) await take({ start: v, end: v + 1 }, k);
    return found;
  }

  async measure(at: Point, out: Measures): Promise<void> {
    const radius = out.radius ?? 1;
    await this.#eachItem('codes', at, (item, i) => {
      const m = scores(item, item.z);
      out.losses?.write([lossAt(item, m)], i);
      const gradient = back(item, halfResiduals(item, m));
      const reach = gradient.reduce((most, _, h) => Math.max(most, Math.abs(item.z[h])), radius);
      let gap = 0;
      gradient.forEach((g, h) => {
        gap += g * item.z[h] + reach * Math.abs(g);
      });
      out.gaps?.write([gap], i);
    });
  }

  async gradients(at: Point, out: Gradients): Promise<void> {
    await this.#eachItem('codes', at, (item, i) => {
      const m = scores(item, item.z);
      out.losses?.write([lossAt(item, m)], i);
      const g = new Float64Array(item.width);
      g.set(back(item, halfResiduals(item, m)));
      out.codes?.write(g, i * item.width);
    });
    await this.#sumOver(at, { gradient: out.weights });
  }

  async polish(at: Point, options: PolishOptions): Promise<Certificates> {
    const losses: number[] = [];
    const gaps: number[] = [];
    const polish = (item: Item, _i: number, store: (z: Float64Array) => void) => {
      const { z, loss, gap } = polishItem(item, options);
      store(z);
      losses.push(loss);
      gaps.push(gap);
    };
    if (options.rows)
      for (const i of options.rows)
        await this.#eachItem('codes', { ...at, range: { start: i, end: i + 1 } }, polish);
    else await this.#eachItem('codes', at, polish);
    return { losses: Float64Array.from(losses), gaps: Float64Array.from(gaps) };
  }

  async flip(at: Point, options: FlipOptions): Promise<void> {
    await this.#eachItem('codes', at, (item, i, store) => {
      const z = flipItem(item, options);
      store(z);
      options.losses?.write([lossAt(item, scores(item, z))], i);
    });
    if (options.sums) await this.#sumOver(at, options.sums);
  }

  async anneal(at: Point, options: AnnealOptions): Promise<void> {
    const starts = valuesOf(options.starts);
    const curvatures = valuesOf(options.curvatures);
    await this.#eachItem('codes', at, (item, i, store) => {
      const z = annealItem(item, starts, curvatures, options);
      store(z);
      options.losses?.write([lossAt(item, scores(item, z))], i);
    });
  }

  relax(at: Point, options: RelaxOptions): Promise<void> {
    const host: Host = {
      floats: (length) => this.floats(length),
      numbers: (floats, start, end) => valuesOf(floats).slice(start, end),
      relax: (...given) => this.#relaxPlainly(...given),
    };
    return relaxExpected(host, at, options);
  }

  async #relaxPlainly(at: Point, options: PlainRelaxOptions): Promise<void> {
    const { steps, temperature, damping, losses } = options;
    const curvatures = valuesOf(options.curvatures);
    const moved: { z: Float64Array; store: (z: Float64Array) => void }[] = [];
    await this.#eachItem('codes', at, (item, i, store) => {
      let a = item.z;
      let means = a;
      for (let step = 0; step < steps; step++) {
        means = meansOf(item, a);
        const next = a.slice();
        next.set(meanFieldStep(item, a, means, curvatures, temperature, damping));
        a = next;
      }
      store(means);
      losses?.write([lossAt(item, scores(item, means))], i);
      moved.push({ z: a, store });
    });
    await this.#sumOver(at, options);
    for (const { z, store } of moved) store(z);
  }

  async enumerate(at: Point, losses?: Floats): Promise<void> {
    await this.#eachItem('codes', at, (item, i, store) => {
      const z = enumerateItem(item);
      store(z);
      losses?.write([lossAt(item, scores(item, z))], i);
    });
  }

  async decode(at: Place, what: 'scores' | 'transfer'): Promise<Float32Array> {
    const { shape, loss, offset = 0 } = at;
    const width = widthOf(shape);
    const w = valuesOf(at.W);
    const e = valuesOf(at.E).subarray(offset * width);
    const { start, end } = codesOf(at);
    const out = new Float32Array((end - start) * shape.V);
    for (let i = start; i < end; i++) {
      for (let v = 0; v < shape.V; v++) {
        let m = 0;
        for (let h = 0; h < width; h++) m += w[v * width + h] * e[i * width + h];
        out[(i - start) * shape.V + v] = what === 'scores' ? m : loss.transfer(m);
      }
    }
    return out;
  }

  async gram(A: Floats, count: number, width: number, weights?: Floats): Promise<Float64Array> {
    return gramOf(valuesOf(A).subarray(0, count * width), width, weights && valuesOf(weights));
  }

  async project(block: Block, A: Floats, width: number, Y: Floats): Promise<void> {
    projectRows(rowsOf(block), valuesOf(A), width, valuesOf(Y));
  }

  async correlate(block: Block, Y: Floats, width: number, A: Floats): Promise<void> {
    correlateRows(rowsOf(block), valuesOf(Y), width, valuesOf(A));
  }

  adam(at: Floats, gradient: Floats, moments: Moments, options: AdamOptions): void {
    const prices = options.prices && valuesOf(options.prices);
    const [first, second] = [valuesOf(moments.first), valuesOf(moments.second)];
    adamStep(valuesOf(at), valuesOf(gradient), { first, second }, { ...options, prices });
  }

  precondition(W: Floats, shape: Shape, bends: Running, ridge: number, out: Floats): Promise<void> {
    return preconditionOnHost(this, W, shape, bends, ridge, out);
  }

  async close(): Promise<void> {}

  /** Calls `work` for each item of the range, with a way to store its new z. */
  async #eachItem(
    side: Side,
    at: Point,
    work: (item: Item, i: number, store: (z: Float64Array) => void) => void,
  ): Promise<void> {
    const stored = storedAt(at);
    const codes = side === 'codes';
    const { start, end } = itemsOf(side, at);
    for (let i = start; i < end; i++) {
      await this.turn();
      const item = itemAt(side, at, stored, i);
      const first = (codes ? (at.offset ?? 0) + i : i) * item.width;
      work(item, i, (z) => (codes ? stored.E : stored.W).set(z, first));
    }
  }

  async #sumOver(at: Point, sums: Pick<Sums, 'gradient'> & Partial<Sums>): Promise<void> {
    const gradient = valuesOf(sums.gradient);
    const curvature = sums.curvature && valuesOf(sums.curvature);
    const stored = storedAt(at);
    const total = new Float64Array(gradient.length);
    const bends = new Float64Array(at.shape.V);
    await this.#eachItem('codes', at, (item, i) => {
      const m = scores(item, item.z);
      const rowWeight = stored.rowWeights?.[i] ?? 1;
      halfResiduals(item, m).forEach((r, v) => {
        for (let h = 0; h < item.width; h++) total[v * item.width + h] += rowWeight * r * item.z[h];
        bends[v] += 0.5 * rowWeight * item.weights[v] * item.loss.psiSecond(m[v]);
      });
    });
    gradient.set(total);
    curvature?.set(bends);
    const { start, end } = itemsOf('codes', at);
    const { running } = sums;
    if (running && curvature) HostRunning.of(running.means).follow(curvature, end - start, running.share);
  }
}

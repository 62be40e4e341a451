import type { Block, Engine, Floats } from '../../engine/engine.ts';
import type { Rows } from '../../rows/rows.ts';
import { sum } from '../../rows/sum.ts';
import { clearCodes } from '../../solvers/codes.ts';
import { BitEncoder } from '../../solvers/encode-bits.ts';
import type { BitPhases } from './phases.ts';

/** The mean loss of validation rows, at bits found in the same way as the encoder finds them. */
export class BitsValidation {
  readonly #engine: Engine;
  readonly #block: Block;
  readonly #E: Floats;
  readonly #losses: Floats;

  constructor(engine: Engine, rows: Rows, H: number) {
    this.#engine = engine;
    this.#block = engine.load(rows);
    this.#E = engine.floats(rows.n * (H + 1));
    this.#losses = engine.floats(rows.n);
    clearCodes(this.#E, { H, bias: true });
  }

  async loss(phases: BitPhases): Promise<number> {
    await phases.measureCurvature();
    const encoder = await BitEncoder.create(this.#engine, {
      shape: phases.shape,
      W: await phases.W.read(),
      loss: phases.loss,
      radius: 1,
      curvature: Float32Array.from(phases.curvature),
    });
    await encoder.search(this.#block, this.#E, this.#losses);
    encoder.free();
    return sum(await this.#losses.read()) / this.#block.n;
  }

  free(): void {
    this.#block.free();
    this.#E.free();
    this.#losses.free();
  }
}

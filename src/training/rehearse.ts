import { type Block, type Engine, type Floats, WIDE, widthOf } from '../engine/engine.ts';
import { isSource } from '../rows/input.ts';
import { anyMissing, type Rows, rowBytes } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { Encoder } from '../solvers/encode.ts';
import { residentData } from './data.ts';
import { FastTrainer } from './fast.ts';
import { lookAt } from './look.ts';
import { refines } from './refine/whether.ts';
import type { Settings } from './settings.ts';
import { CERTIFIED } from './settle.ts';
import { startRank } from './start/start.ts';
import type { HeldSet, RowSet } from './training-set.ts';

/**
 * Goes through the operations that learning will ask for, on an engine that only compiles their programs
 * (`Engine.rehearsal`). All programs are then compiled side by side; otherwise each would be compiled when it
 * is first needed, while everything else waits.
 */
export async function rehearse(stage: Engine, training: RowSet, settings: Settings): Promise<void> {
  const rows = likeness(training.rows);
  if (rows) await goThrough(stage, { ...training, rows }, settings);
}

async function goThrough(stage: Engine, training: HeldSet, settings: Settings): Promise<void> {
  const { rows, rowWeights, columnWeights } = training;
  const { loss, H, ridge, certify, encoding, seed } = settings;
  const { n, V } = rows;
  const data = residentData(stage, rows, seed, { rowWeights: rowWeights?.subarray(0, n), columnWeights });
  const W = new Float32Array(V * widthOf(settings));
  const trainer = new FastTrainer(stage, data, settings, W);
  for await (const placed of data.blocks()) {
    const { block } = placed;
    const { shape, E } = trainer;
    const at = trainer.point(placed);
    await products(stage, block, startRank(V, H));
    for await (const _ of trainer.visits({ share: () => 0 })) break;
    await trainer.measure();
    await lookAt(stage, at);
    if (refines(settings) && stage.newtonian(loss, H)) {
      for (const side of ['codes', 'weights'] as const) await stage.newton(side, at, { ridge, move: true });
      if (certify) await stage.bounds?.(at, ridge, true);
    }
    await products(stage, block, trainer.width, at.rowWeights);
    // Only whether there is a box matters, not its size.
    const radius = encoding.free ? 1 : settings.radius;
    const curvature = new Float32Array(V);
    const decoder = { shape, W, loss, radius, set: settings.set, curvature, columnWeights };
    const encoder = await Encoder.create(stage, decoder);
    const rows = { block, E };
    await (certify ? encoder.encodeBlock(rows, CERTIFIED) : encoder.approach(rows, 1));
  }
}

/** Products of rows with `width` numbers for each column or row, and of such numbers with themselves. */
export async function products(
  stage: Engine,
  block: Block,
  width: number,
  rowWeights?: Floats,
): Promise<void> {
  const columns = stage.floats(block.V * width);
  const codes = stage.floats(block.n * width);
  await stage.project(block, columns, width, codes);
  await stage.correlate(block, codes, width, columns);
  await stage.gram(codes, block.n, width, rowWeights);
}

/**
 * Rows of the same kind and shape, without their entries. Undefined for tables that keep a device busy for
 * minutes, where compiling hardly counts.
 */
export function likeness(rows: Rows | RowSource): Rows | undefined {
  if (isSource(rows) || rows.V >= WIDE) return undefined;
  const { V, kind } = rows;
  const n = Math.min(rows.n, ENOUGH);
  if (kind === 'real')
    return { kind, n, V, values: new Float32Array(n * V).fill(anyMissing(rows) ? Number.NaN : 0) };
  const bits = new Uint8Array(n * rowBytes(V));
  return { kind, n, V, bits, known: rows.known && bits };
}

/** From this number of rows on, the programs no longer depend on it. */
const ENOUGH = 20_000;

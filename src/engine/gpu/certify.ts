import { crossEntropy } from '../../losses/cross-entropy.ts';
import type { Point, Range, Side } from '../engine.ts';
import { itemsOf } from '../items.ts';
import type { Bounds, Certificates, PolishOptions } from '../proofs.ts';
import type { Buffers, Kernel, Slab } from './dispatcher.ts';
import { gridOf } from './grid.ts';
import { OwnHessians } from './own.ts';
import { type OpenPanel, openPanel, type Piece, piecesOf } from './panel.ts';
import type { Tools } from './tools.ts';
import { additionsOf, certifyFields, certifyProgram } from './wgsl/certify.ts';
import { panelBuffers } from './wgsl/panel.ts';
import { proofFields, proofProgram, proofSpec } from './wgsl/proof.ts';

/** Whether the device has proofs for codes of these rows. */
export function provable(tools: Tools, at: Point): boolean {
  const { free } = itemsOf('codes', at);
  return at.loss === crossEntropy && tools.block(at.block).kind === 'bits' && OwnHessians.fit(tools, free);
}

/** Losses of codes, and proven gaps to the least loss within the radius, never smaller than in float64. */
export async function certify(
  tools: Tools,
  at: Point & { readonly range: Range },
  { radius, tolerance }: Pick<PolishOptions, 'radius' | 'tolerance'>,
): Promise<Certificates> {
  const { losses, gaps } = await prove(tools, 'codes', at, {
    radius,
    ridge: 0,
    enough: DESCRIBED * tolerance,
    gaps: true,
  });
  return { losses, gaps };
}

/** `Engine.bounds`: the same for bits, with a ridge and without a box. The penalty is added in float64. */
export async function bounds(tools: Tools, at: Point, ridge: number, floors: boolean): Promise<Bounds> {
  if (!OwnHessians.fit(tools, itemsOf('weights', at).free)) tools.refuse('proofs of so many units');
  const { shape } = at;
  const { start, width } = itemsOf('weights', at);
  const [{ losses, wrong, gaps }, W] = await Promise.all([
    prove(tools, 'weights', at, { radius: 0, ridge, enough: NEVER, gaps: floors }),
    at.W.read(),
  ]);
  const penalties = losses.map((_, v) => {
    let square = 0;
    for (let h = 0; h < shape.H; h++) square += W[(start + v) * width + h] ** 2;
    return 0.5 * ridge * square;
  });
  const objectives = losses.map((loss, v) => knownOf(loss + wrong[v] + penalties[v]));
  const most = objectives.map((objective, v) => (floors ? Math.min(objective, knownOf(gaps[v])) : objective));
  return {
    objectives,
    // No objective is below 0.
    floors: losses.map((loss, v) => {
      const floor = loss - wrong[v] + penalties[v] - most[v];
      return floors && floor > 0 ? floor : 0;
    }),
    gaps: most,
  };
}

/** What float32 says of nats, unless there are more of them than it has room for on the way. */
function knownOf(nats: number): number {
  return nats < MOST_NATS ? nats : Number.POSITIVE_INFINITY;
}
/** Gaps without a proof are 1e18. */
const MOST_NATS = 1e17;

interface Proven {
  readonly losses: Float64Array;
  /** The rounding error that losses may have. */
  readonly wrong: Float64Array;
  readonly gaps: Float64Array;
}

interface Asked {
  readonly radius: number;
  readonly ridge: number;
  /** A loss of at most this needs no proof: it is its own gap. */
  readonly enough: number;
  /** Whether gaps are asked for, or losses alone. */
  readonly gaps: boolean;
}

/**
 * Losses of items and proven gaps to their optima, rounding errors of float32 included (see `wgsl/proof.ts`).
 * Four programs: one gathers what the proof needs, two make Hessians and the inverses of their factors, and
 * the last one proves.
 */
async function prove(tools: Tools, side: Side, at: Point, asked: Asked): Promise<Proven> {
  const panel = openPanel(tools, side, at, VECTORS);
  const { spec, free, start, end, values } = panel;
  const hessians = new OwnHessians(tools, panel, side, at, asked.ridge);
  const gathering: Kernel<typeof certifyFields, Buffers> = {
    key: `certify ${panel.key}`,
    fields: certifyFields,
    buffers: { ...panelBuffers(spec), facts: 'write f32', losses: 'write f32', settled: 'write f32' },
    code: () => certifyProgram(spec),
  };
  // Losses of all items, then their rounding errors.
  const losses = tools.room('certified losses', 8 * end);
  const gaps = tools.room('certified gaps', 4 * end);
  for (const piece of piecesOf(tools, panel, Math.max(6 + free, hessians.passes), hessians.bytes)) {
    const rows = piece.end - piece.start;
    const facts = tools.room('what proofs are made of', 4 * (2 * free + 2) * rows);
    const settled = tools.room('rows that are settled', 4 * rows);
    const bound = { settled, scratch: piece.scratch, facts, losses };
    tools.dispatcher.run(gathering, piece.grid, { ...panel.bound, ...bound } as Record<string, Slab>, {
      ...values,
      start: piece.start,
      end: piece.end,
      wrongAt: end,
      enough: asked.enough,
      ...additionsOf(spec, values),
    });
    if (!asked.gaps) continue;
    const factors = hessians.factors(piece, settled);
    conclude(tools, panel, piece, { ...bound, factors, gaps }, asked, at);
  }
  const read = async (slab: Slab, from: number) =>
    Float64Array.from(new Float32Array(await tools.dispatcher.read(slab, 4 * from, 4 * (end - start))));
  const [found, wrong, proven] = await Promise.all([
    read(losses, start),
    read(losses, end + start),
    asked.gaps ? read(gaps, start) : new Float64Array(end - start),
  ]);
  return { losses: found, wrong, gaps: proven };
}

/** Runs the last of the programs. */
function conclude(
  tools: Tools,
  { spec, bound: { held, codes }, values, free, perPanel }: OpenPanel,
  { start, end, work }: Piece,
  bound: Readonly<Record<string, Slab>>,
  { radius, ridge }: Asked,
  { shape }: Point,
): void {
  const { maxComputeWorkgroupStorageSize: bytes } = tools.dispatcher.open.limits;
  const shapes = proofSpec(spec, ridge > 0 || radius === 0, bytes);
  const proving: Kernel<typeof proofFields, Buffers> = {
    key: `prove ${Object.values(shapes).join(' ')}`,
    fields: proofFields,
    buffers: {
      held: 'read vec4f',
      codes: 'read f32',
      scratch: 'write vec4f',
      factors: 'read vec4f',
      facts: 'read f32',
      losses: 'read f32',
      settled: 'read f32',
      gaps: 'write f32',
    },
    code: () => proofProgram(shapes),
  };
  const { K4, F4, width, codesAt } = values;
  tools.dispatcher.run(
    proving,
    gridOf(end - start),
    { held, codes, ...bound },
    { K4, free, F4, width, codesAt, start, end, perPanel, radius, ridge, ridged: Math.min(free, shape.H) },
    work,
  );
}

/** A loss of at most this share of the tolerance needs no proof. */
export const DESCRIBED = 0.1;
/** Below every loss: all need a proof. */
const NEVER = -1;
/** Vectors of a panel's codes: Z, D, G and the magnitudes. */
const VECTORS = 4;

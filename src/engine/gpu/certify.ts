import { crossEntropy } from '../../losses/cross-entropy.ts';
import type { Certificates, Point, PolishOptions, Range } from '../engine.ts';
import { itemsOf } from '../items.ts';
import type { Buffers, Kernel, Window } from './dispatcher.ts';
import { gridOf } from './grid.ts';
import { OwnHessians } from './own.ts';
import { openPanel, piecesOf } from './panel.ts';
import type { Tools } from './tools.ts';
import { certifyFields, certifyProgram } from './wgsl/certify.ts';
import { panelBuffers } from './wgsl/panel.ts';
import { proofFields, proofProgram, proofSpec } from './wgsl/proof.ts';

/** Whether the device has proofs for codes of these rows. */
export function provable(tools: Tools, at: Point): boolean {
  const { K, free } = itemsOf('codes', at);
  return at.loss === crossEntropy && tools.block(at.block).kind === 'bits' && OwnHessians.fit(tools, K, free);
}

/**
 * Losses of codes, and how far each is from the least loss within the radius at most: never less than in float64, whatever
 * float32 rounds away (see `wgsl/proof.ts`). Four programs: what the proof is made of, Hessians, the inverses of their
 * factors, and the proof.
 */
export async function certify(
  tools: Tools,
  at: Point & { readonly range: Range },
  { radius, tolerance }: Pick<PolishOptions, 'radius' | 'tolerance'>,
): Promise<Certificates> {
  const { range } = at;
  const panel = openPanel(tools, 'codes', at, VECTORS);
  const { spec, free, values, perPanel } = panel;
  const { K4, F4, width, codesAt } = values;
  const count = range.end - range.start;
  const hessians = new OwnHessians(tools, panel, tools.use(at.W, 'the numbers of W', at.W.length));
  const gathering: Kernel<typeof certifyFields, Buffers> = {
    key: `certify ${panel.key}`,
    fields: certifyFields,
    buffers: { ...panelBuffers(spec), facts: 'write f32', losses: 'write f32', settled: 'write f32' },
    code: () => certifyProgram(spec),
  };
  const shape = proofSpec(spec);
  const proving: Kernel<typeof proofFields, Buffers> = {
    key: `prove ${Object.values(shape).join(' ')}`,
    fields: proofFields,
    buffers: {
      ...{ held: 'read vec4f', codes: 'read f32', scratch: 'write vec4f', factors: 'read vec4f' },
      ...{ facts: 'read f32', losses: 'read f32', settled: 'read f32', gaps: 'write f32' },
    },
    code: () => proofProgram(shape),
  };
  // How many numbers are added up, one after the other, in A^T r and in a loss.
  const slices = Math.floor(spec.T / Math.min(spec.T, F4));
  const [summed, added] = [
    4 * Math.ceil(K4 / slices) + slices + 4,
    5 * Math.ceil(K4 / spec.T) + Math.ceil(spec.T / 16) + 16,
  ];
  const [losses, gaps] = ['losses', 'gaps'].map((name) => tools.room(`certified ${name}`, 4 * range.end));
  for (const piece of piecesOf(tools, panel, 6 + free, hessians.bytes)) {
    const { start, end, work } = piece;
    const facts = tools.room('what proofs are made of', 4 * (2 * free + 2) * (end - start));
    const settled = tools.room('rows that are settled', 4 * (end - start));
    const shared = {
      settled: { slab: settled },
      scratch: { slab: piece.scratch },
      facts: { slab: facts },
      losses: { slab: losses },
    };
    tools.dispatcher.run(
      ...([gathering, piece.grid, { ...panel.bound, ...shared } as Record<string, Window>] as const),
      { ...values, start, end, summed, added, enough: DESCRIBED * tolerance },
    );
    const { held, codes } = panel.bound;
    const bound = {
      held,
      codes,
      ...shared,
      factors: { slab: hessians.factors(piece, settled) },
      gaps: { slab: gaps },
    };
    const numbers = { K4, free, F4, width, codesAt, start, end, perPanel, radius };
    tools.dispatcher.run(proving, gridOf(end - start), bound as Record<string, Window>, numbers, work);
  }
  const read = async (slab: typeof losses) =>
    Float64Array.from(new Float32Array(await tools.dispatcher.read(slab, 4 * range.start, 4 * count)));
  const [f, g] = await Promise.all([read(losses), read(gaps)]);
  return { losses: f, gaps: g };
}

/** A loss of this share of the tolerance needs no proof but itself. */
export const DESCRIBED = 0.1;
/** Vectors of a panel's codes: Z, D, G and the magnitudes. */
const VECTORS = 4;

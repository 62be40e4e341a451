import { describe, expect, it } from 'vitest';
import { type Buffers, type Kernel, sourceOf } from '../../../src/engine/gpu/dispatcher.ts';
import type { Fields } from '../../../src/engine/gpu/params.ts';
import { shapeOf } from '../../../src/engine/gpu/tile.ts';
import { certifyFields, certifyProgram } from '../../../src/engine/gpu/wgsl/certify.ts';
import { flipFields, flipProgram } from '../../../src/engine/gpu/wgsl/flip.ts';
import { lookFields } from '../../../src/engine/gpu/wgsl/look.ts';
import { meanFieldFields, meanFieldProgram } from '../../../src/engine/gpu/wgsl/meanfield.ts';
import { panelBuffers } from '../../../src/engine/gpu/wgsl/panel.ts';
import { probeFields, probeProgram } from '../../../src/engine/gpu/wgsl/probe.ts';
import { proofFields, proofProgram, proofSpec } from '../../../src/engine/gpu/wgsl/proof.ts';
import { newtonFields, solveFields, solveProgram } from '../../../src/engine/gpu/wgsl/solve.ts';
import { tileProgram } from '../../../src/engine/gpu/wgsl/tile.ts';
import { missing, softwareDevice } from './device.ts';

/** What tiles look like where units are many. */
const MANY_UNITS = {
  losses: true,
  gaps: true,
  slopes: true,
  scores: true,
  ...shapeOf(26, 25, 101)!,
} as const;

const title = missing ? `the text of the GPU engine (skipped: ${missing})` : 'the text of the GPU engine';

describe.skipIf(missing && !process.env.CI)(title, { timeout: 120_000 }, () => {
  // SwiftShader takes minutes to compile what is written out for cards: here it is only checked.
  it('has valid programs for cards', async () => {
    expect(missing, 'CI needs SwiftShader and a Vulkan loader').toBeUndefined();
    const { engine, device } = await softwareDevice();
    device.pushErrorScope('validation');
    for (const loss of ['cross-entropy', 'hamming'] as const) {
      for (const residuals of ['room', 'memory'] as const) {
        const room = residuals === 'room' ? 1792 : 896;
        const spec = { R: 8, T: 224, W4: 9, room, residuals, loss, entries: 'bits' } as const;
        const wide = { ...spec, masked: loss === 'hamming', unrolled: true };
        const buffers = panelBuffers(wide);
        const kernels: Pick<Kernel<Fields, Buffers>, 'fields' | 'buffers' | 'code'>[] = [
          {
            fields: meanFieldFields,
            buffers: { ...buffers, curvatures: 'read f32', meansKept: 'write f32', losses: 'write f32' },
            code: () => meanFieldProgram(wide),
          },
          {
            fields: flipFields,
            buffers: { ...buffers, losses: 'write f32', kept: 'write f32' },
            code: () => flipProgram(wide),
          },
          {
            fields: probeFields,
            buffers: { ...buffers, square: 'write f32' },
            code: () => probeProgram(wide),
          },
          {
            fields: solveFields,
            buffers: { ...buffers, inverse: 'read f32', losses: 'write f32' },
            code: () => solveProgram({ ...wide, boxed: true, own: false, losses: true }),
          },
          {
            fields: solveFields,
            buffers: { ...buffers, inverse: 'read f32', settled: 'write f32', losses: 'write f32' },
            code: () => solveProgram({ ...wide, boxed: true, own: true, losses: true }),
          },
          {
            fields: newtonFields,
            buffers: {
              ...{ ...buffers, inverse: 'read f32', losses: 'write f32' },
              directions: 'write f32',
            },
            code: () => solveProgram({ ...wide, boxed: false, own: true, losses: true, newton: true }),
          },
          {
            fields: certifyFields,
            buffers: { ...buffers, facts: 'write f32', losses: 'write f32', settled: 'write f32' },
            code: () => certifyProgram({ ...wide, entries: residuals === 'room' ? 'bits' : 'real' }),
          },
          {
            fields: lookFields,
            buffers: { ...buffers, losses: 'write f32', gaps: 'write f32', slopes: 'write f32' },
            code: () => tileProgram({ ...wide, ...MANY_UNITS }),
          },
          {
            fields: proofFields,
            buffers: {
              ...{ held: 'read vec4f', codes: 'read f32', scratch: 'write vec4f', factors: 'read vec4f' },
              ...{ facts: 'read f32', losses: 'read f32', settled: 'read f32', gaps: 'write f32' },
            },
            code: () => proofProgram(proofSpec({ R: 8, W4: MANY_UNITS.W4 }, residuals === 'room', 32_768)),
          },
        ];
        for (const kernel of kernels) {
          const code = sourceOf({ ...kernel, key: 'for a card' });
          device.createShaderModule({ code });
          // Where threads write beyond that memory a card lets them all write to its last place, one over the
          // other.
          for (const [, row] of code.matchAll(/room\[(\d+)u \* T/g))
            expect(Number(row)).toBeLessThan(room / 224);
        }
      }
    }
    expect(await device.popErrorScope()).toBeNull();
    await engine.close();
  });
});

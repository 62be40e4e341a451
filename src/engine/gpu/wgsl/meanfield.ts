import type { PanelSpec } from '../panel.ts';
import type { Fields } from '../params.ts';
import { ENTRY, panelFields, panelLibrary } from './panel.ts';

/**
 * Mean-field steps on the parameters a of a panel's bits (`Engine.anneal`, `Engine.relax`). With the means
 * tanh(a) as e, g the gradient of the loss at e, and T a temperature that falls from step to step,
 *
 *     a  goes a share of the way to  -(g - c e) / T.
 *
 * For `relax` it also writes the means before the last step, with their scores and losses, for the sums.
 */
export function meanFieldProgram(spec: PanelSpec): string {
  return /* wgsl */ `${panelLibrary({ ...spec, losses: true })}
${ENTRY(`
  loadCodes();
  var temperature = params.hot;
  if (params.relaxing == 1u) { temperature *= meanCurvature(); }
  for (var step = 0u; step < params.steps; step++) {
    means();
    scores();
    back();
    advance(1.0 / temperature);
    temperature *= params.cooling;
  }
  storeCodes();
  if (params.relaxing == 1u) { storeMeans(); }
  if (params.told == 1u) { writeLosses(); }
`)}

/** D = tanh(Z), by a formula whose error WGSL bounds. */
fn means() {
  for (var e = t; e < params.free * RV; e += T) {
    let q = exp(-2.0 * abs(Z[e]));
    D[e] = sign(Z[e]) * (1.0 - q) / (1.0 + q);
  }
  workgroupBarrier();
}

fn advance(cold: f32) {
  for (var e = t; e < params.free * RV; e += T) {
    let pull = curvatures[e / RV] * D[e] - G[e];
    Z[e] = fma(vec4f(params.rate), pull * cold - Z[e], Z[e]);
  }
  workgroupBarrier();
}

/** The unit of temperatures where it relaxes; units that do nothing must not freeze a search. */
fn meanCurvature() -> f32 {
  var sum = 0.0;
  for (var h = t; h < params.free; h += T) { sum += curvatures[h]; }
  room[t] = vec4f(sum);
  collect(1u, T, NEVER, 0u);
  return max(sums[0].x / f32(params.free), params.least);
}

fn storeMeans() {
  for (var i = t; i < R * params.width; i += T) {
    let l = i / params.width;
    let h = i % params.width;
    if (first + l < params.end) { meansKept[(params.meansAt + first + l) * params.width + h] = D[h * RV + (l >> 2u)][l & 3u]; }
  }
}
`;
}

export const meanFieldFields = {
  ...panelFields,
  steps: 'u32',
  hot: 'f32',
  cooling: 'f32',
  rate: 'f32',
  least: 'f32',
  meansAt: 'u32',
  relaxing: 'u32',
  told: 'u32',
} as const satisfies Fields;

import type { PanelSpec } from '../panel.ts';
import type { Fields } from '../params.ts';
import { ENTRY, panelFields, panelLibrary } from './panel.ts';

/** What may be asked of codes as they are. */
export interface Looks {
  readonly losses: boolean;
  readonly gaps: boolean;
  readonly slopes: boolean;
}

/** Losses, gaps of Frank and Wolfe, and gradients of a panel at its codes as they are. */
export function lookProgram(spec: PanelSpec & Looks): string {
  return /* wgsl */ `${panelLibrary(spec)}
${ENTRY(`
  loadCodes();
  scores();
  ${spec.gaps || spec.slopes ? 'back();' : ''}
  ${spec.gaps ? 'writeGaps();' : ''}
  ${spec.slopes ? 'writeSlopes();' : ''}
  ${spec.losses ? 'writeLosses();' : ''}
`)}
${spec.gaps ? GAPS : ''}
${spec.slopes ? SLOPES : ''}
`;
}

const GAPS = /* wgsl */ `
/** sum_h ( g_h e_h + r |g_h| ); r is the radius, or what the code needs. */
fn writeGaps() {
  var inward = vec4f(0.0);
  var steepness = vec4f(0.0);
  var reach = vec4f(params.radius);
  for (var e = t; e < params.free * RV; e += T) {
    inward = fma(G[e], Z[e], inward);
    steepness += abs(G[e]);
    reach = max(reach, abs(Z[e]));
  }
  let each = T / RV;
  let place = (t % RV) * each + t / RV;
  room[place] = inward;
  room[T + place] = steepness;
  room[2u * T + place] = reach;
  collect(3u * RV, each, 2u * RV, 0u);
  if (t < R && first + t < params.end) {
    let q = t >> 2u;
    gaps[first + t] = (sums[q] + sums[2u * RV + q] * sums[RV + q])[t & 3u];
  }
}
`;

const SLOPES = /* wgsl */ `
/** The gradient in the code; 0 for the bias unit, which does not move. */
fn writeSlopes() {
  for (var i = t; i < R * params.width; i += T) {
    let l = i / params.width;
    let h = i % params.width;
    if (first + l < params.end) {
      slopes[(first + l) * params.width + h] = select(0.0, G[h * RV + (l >> 2u)][l & 3u], h < params.free);
    }
  }
}
`;

export const lookFields = { ...panelFields, radius: 'f32', perPanel: 'u32' } as const satisfies Fields;

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
/** sum_h ( g_h e_h + radius |g_h| ). */
fn writeGaps() {
  var sum = vec4f(0.0);
  for (var e = t; e < params.free * RV; e += T) { sum += G[e] * Z[e] + params.radius * abs(G[e]); }
  room[(t % RV) * (T / RV) + t / RV] = sum;
  collect(RV, T / RV, NEVER);
  if (t < R && first + t < params.end) { gaps[first + t] = sums[t >> 2u][t & 3u]; }
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

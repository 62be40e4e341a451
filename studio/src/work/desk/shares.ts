import type { PCAE } from 'pc-ae';
import { normaliseGroups } from 'pc-ae/rows';

/** What codes decode to, as `pcae reconstruct` writes it: the shares of a category's values add up to one. */
export function sharesOf({ V, groups }: PCAE, decoded: Float32Array): Float32Array {
  return groups ? normaliseGroups(decoded, V, groups) : decoded;
}

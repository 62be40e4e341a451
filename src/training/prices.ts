import { FORBIDDEN, widthOf } from '../engine/engine.ts';
import type { FitOptions } from './options.ts';
import type { Settings } from './settings.ts';

/** eps_v: how far the correlations of bit v, its mean included, may be from those measured (App. C.1). */
export type Relaxation = number | readonly number[];

/** eps_v of one bit. */
function epsilonOf(l1: Relaxation, v: number): number {
  return typeof l1 === 'number' ? l1 : l1[v];
}

/** Whether any correlation is relaxed. */
export function isRelaxed(l1: Relaxation): boolean {
  return typeof l1 === 'number' ? l1 > 0 : l1.some((eps) => eps > 0);
}

/**
 * The radius of the box while the codes of a relaxed model are learned. With the penalty eps_v |w_v|_1 alone,
 * codes would grow and weights shrink without end: eps_v has a meaning only inside a box. The radius is a
 * choice of coordinates. Codes start well inside, with the unit variance that learning is tuned for, and grow
 * as far as the penalty drives them.
 */
export const RELAXED_RADIUS = 16;

/**
 * The price per unit of each weight's size, V x width, for codes in a box of the given radius. In a box of
 * radius 1 it is eps_v / 2, times the weight of the column. Pairs that were not chosen have the price
 * `FORBIDDEN`, as if eps were infinite: a correlation that constrains nothing needs no weight (Sec. 4.1).
 * Undefined if every weight is free.
 */
export function pricesOf(
  settings: Pick<Settings, 'H' | 'bias' | 'l1' | 'chosen'>,
  V: number,
  radius: number,
  columnWeights?: ArrayLike<number>,
): Float32Array | undefined {
  const { H, bias, l1, chosen } = settings;
  if (!chosen && !isRelaxed(l1)) return undefined;
  const width = widthOf({ H, bias });
  const prices = new Float32Array(V * width);
  for (let v = 0; v < V; v++) {
    const price = ((columnWeights?.[v] ?? 1) * epsilonOf(l1, v)) / 2;
    // The bias unit's code is 1 in every box.
    for (let h = 0; h < H; h++) {
      const exists = chosen?.[v * H + h] !== 0;
      // Without a relaxation the radius is infinite and the price 0.
      prices[v * width + h] = exists ? (price > 0 ? price * radius : 0) : FORBIDDEN;
    }
    if (bias) prices[v * width + H] = price;
  }
  return prices;
}

/** The weights with those of pairs that were not chosen set to zero. */
export function keepChosen(W: Float32Array, prices: Float32Array | undefined): Float32Array {
  return prices ? W.map((w, i) => (prices[i] === FORBIDDEN ? 0 : w)) : W;
}

/** The option `l1`, checked for V bits. */
export function checkRelaxation(options: Pick<FitOptions, 'l1'>, V: number): Relaxation {
  const l1 = options.l1 ?? 0;
  const many = typeof l1 !== 'number';
  if (many && l1.length !== V) {
    throw new RangeError(`fit: l1 must be one number or one for each of ${V} columns, got ${l1.length}`);
  }
  const given = many ? Array.from(l1) : [l1];
  const wrong = given.findIndex((eps) => !(eps >= 0 && Number.isFinite(eps)));
  if (wrong >= 0) {
    const place = many ? ` for column ${wrong}` : '';
    throw new RangeError(`fit: l1 must be at least 0, got ${given[wrong]}${place}`);
  }
  if (!given.some((eps) => eps > 0)) return 0;
  return many ? given : l1;
}

/**
 * The option `chosen`, checked. Undefined if every pair is chosen, because learning is then the same, bit for
 * bit, as without the option.
 */
export function checkChosen(options: Pick<FitOptions, 'chosen' | 'H'>, V: number): Uint8Array | undefined {
  const { chosen, H } = options;
  if (!chosen) return undefined;
  if (chosen.length !== V * H) {
    throw new RangeError(
      `fit: chosen must hold V x H = ${V} x ${H} entries, got ${chosen.length} (the bias unit has none)`,
    );
  }
  const checked = Uint8Array.from(chosen);
  const wrong = checked.findIndex((entry, i) => entry > 1 || entry !== Number(chosen[i]));
  if (wrong >= 0) {
    const place = `column ${Math.floor(wrong / H)}, unit ${wrong % H}`;
    throw new RangeError(`fit: chosen must hold 0 and 1, got ${chosen[wrong]} at ${place}`);
  }
  return checked.includes(0) ? checked : undefined;
}

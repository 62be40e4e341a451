import type { Loss } from './loss.ts';

/**
 * The same loss with Psi, Psi' and Psi'' read from a table: losses derived from partial losses solve an equation for
 * every score, which is far too slow to iterate with. Psi' is linear between nodes, Psi its exact integral from node
 * to node. Good for finding codes; what is proven about them is computed from the loss itself.
 */
export function sampled(loss: Loss): Loss {
  const known = tables.get(loss);
  if (known) return known;
  const from = straightFrom((m) => loss.psiPrime(-m) <= -1 + 1e-9);
  const to = straightFrom((m) => loss.psiPrime(m) >= 1 - 1e-9);
  const step = (to + from) / CELLS;
  const slopes = Float64Array.from({ length: CELLS + 1 }, (_, k) => loss.psiPrime(k * step - from));
  const values = new Float64Array(CELLS + 1);
  values[0] = loss.psi(-from);
  for (let k = 0; k < CELLS; k++) values[k + 1] = values[k] + (step / 2) * (slopes[k] + slopes[k + 1]);
  /** Cell and place in it; outside the table Psi is straight. */
  const cell = (m: number) => Math.min(CELLS - 1, Math.max(0, Math.floor((m + from) / step)));
  const psiPrime = (m: number) => {
    if (m <= -from) return -1;
    if (m >= to) return 1;
    const k = cell(m);
    return slopes[k] + ((m + from) / step - k) * (slopes[k + 1] - slopes[k]);
  };
  const table: Loss = {
    ...loss,
    psi(m) {
      if (m <= -from) return values[0] - (m + from);
      if (m >= to) return values[CELLS] + (m - to);
      const k = cell(m);
      return values[k] + (m + from - k * step) * 0.5 * (slopes[k] + psiPrime(m));
    },
    psiPrime,
    psiSecond: (m) => (m <= -from || m >= to ? 0 : (slopes[cell(m) + 1] - slopes[cell(m)]) / step),
  };
  tables.set(loss, table);
  return table;
}

const CELLS = 16_384;
const tables = new WeakMap<Loss, Loss>();

/** The least score from which on Psi is straight, up to a thousandth. */
function straightFrom(straight: (m: number) => boolean): number {
  let [low, high] = [0, 64];
  while (high - low > 1e-3 * high) {
    const middle = (low + high) / 2;
    if (straight(middle)) high = middle;
    else low = middle;
  }
  return high;
}

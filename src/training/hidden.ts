/**
 * The most units that a model of V columns can have. Learning holds several arrays of V x (H + 1) numbers in
 * the engine's memory (W, its gradient, two moments of it), and encoding some of H x H; each may take a
 * quarter of the 4 GiB. H x H is also limited in proportion to V x H, so that a small file cannot ask for
 * hours of work.
 */
export function mostHidden(V: number): number {
  const held = Math.min(Math.floor(MOST_NUMBERS / V), Math.floor(Math.sqrt(MOST_NUMBERS))) - 1;
  return Math.max(0, Math.min(held, Math.max(MOST_OF_FEW, 4 * V)));
}

const MOST_NUMBERS = 2 ** 28;

/** The units that even rows of very few columns may have. */
const MOST_OF_FEW = 1024;

/** Refuses more units than fit, before any array of that size is made. */
export function checkHidden(call: string, H: number, V: number): void {
  const most = mostHidden(V);
  if (H <= most) return;
  throw new RangeError(
    `${call}: H is ${H}, and for rows of ${V} columns it can be ${most} at most: V x (H + 1) weights and H x H numbers ` +
      'have to be held in memory',
  );
}

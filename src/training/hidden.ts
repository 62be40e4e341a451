/**
 * The most units that a model of V columns can have. Learning holds several arrays of V x (H + 1) numbers in the engine's
 * memory (W, its gradient, two moments of that), and finding codes some of H x H: a quarter of its 4 GiB is for each.
 */
export function mostHidden(V: number): number {
  return Math.min(Math.floor(MOST_NUMBERS / V), Math.floor(Math.sqrt(MOST_NUMBERS))) - 1;
}

const MOST_NUMBERS = 2 ** 28;

/** Refuses more units than could be held, before anything of their number is made. */
export function checkHidden(call: string, H: number, V: number): void {
  const most = mostHidden(V);
  if (H <= most) return;
  throw new RangeError(
    `${call}: H is ${H}, and for rows of ${V} columns it can be ${most} at most: V x (H + 1) weights and H x H numbers ` +
      'have to be held in memory',
  );
}

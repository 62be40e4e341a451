/**
 * Colours that people who see few of them tell apart, and a scale whose lightness rises evenly (after
 * viridis).
 */
const CATEGORIES = [
  [0, 114, 178],
  [213, 94, 0],
  [0, 158, 115],
  [204, 121, 167],
  [230, 159, 0],
  [86, 180, 233],
  [120, 94, 240],
  [148, 103, 60],
  [128, 128, 128],
  [175, 190, 30],
] as const;

const SCALE = [
  [68, 1, 84],
  [71, 44, 122],
  [59, 81, 139],
  [44, 113, 142],
  [33, 144, 141],
  [39, 173, 129],
  [92, 200, 99],
  [170, 220, 50],
  [253, 231, 37],
] as const;

export type Colour = readonly [red: number, green: number, blue: number];

/**
 * The part of the scale that stands out from the page: its darkest colours do not on a dark one, its lightest
 * not on a light one.
 */
function scaleOn(dark: boolean): readonly Colour[] {
  return dark ? SCALE.slice(2) : SCALE.slice(0, -1);
}

/** A colour of the scale for a share from 0 to 1. */
function onScale(share: number, dark: boolean): Colour {
  const scale = scaleOn(dark);
  const at = Math.max(0, Math.min(1, share)) * (scale.length - 1);
  const k = Math.min(scale.length - 2, Math.floor(at));
  const part = (channel: 0 | 1 | 2) =>
    Math.round(scale[k][channel] + (at - k) * (scale[k + 1][channel] - scale[k][channel]));
  return [part(0), part(1), part(2)];
}

export function css([red, green, blue]: Colour): string {
  return `rgb(${red} ${green} ${blue})`;
}

export function gradient(dark: boolean): string {
  return `linear-gradient(to right, ${scaleOn(dark).map(css).join(', ')})`;
}

/** How values of points become colours, and what a legend says of it. */
export interface Colouring {
  /** n x 4. */
  readonly colours: Uint8Array;
  readonly legend:
    | { readonly kind: 'one' }
    | {
        readonly kind: 'categories';
        readonly entries: readonly { name: string; colour: Colour; count: number }[];
      }
    | { readonly kind: 'scale'; readonly low: number; readonly high: number };
}

const ALPHA = 205;
const FAINT = 26;

/** `names`: values are numbers of categories. Points that are not chosen become faint, where some are. */
export function colouring(
  n: number,
  values: ArrayLike<number> | undefined,
  names: readonly string[] | undefined,
  chosen: Uint32Array | undefined,
  dark: boolean,
): Colouring {
  const colours = new Uint8Array(4 * n);
  const marked = chosen && new Uint8Array(n);
  if (chosen && marked) for (const i of chosen) marked[i] = 1;
  const paint = (colourOf: (i: number) => Colour) => {
    for (let i = 0; i < n; i++) {
      colours.set(colourOf(i), 4 * i);
      colours[4 * i + 3] = !marked || marked[i] ? ALPHA : FAINT;
    }
  };
  if (!values) {
    paint(() => CATEGORIES[0]);
    return { colours, legend: { kind: 'one' } };
  }
  if (names) {
    const colourOf = (k: number): Colour => (k >= 0 ? CATEGORIES[k % CATEGORIES.length] : CATEGORIES[8]);
    const counts = new Uint32Array(names.length);
    for (let i = 0; i < n; i++) counts[values[i]]++;
    paint((i) => colourOf(values[i]));
    const entries = names.map((name, k) => ({ name, colour: colourOf(k), count: counts[k] }));
    return { colours, legend: { kind: 'categories', entries } };
  }
  const sorted = Float64Array.from(values)
    .filter((x) => !Number.isNaN(x))
    .sort();
  // A few extreme values would leave one colour for all others.
  const low = sorted[Math.floor(0.01 * sorted.length)] ?? 0;
  const high = sorted[Math.ceil(0.99 * sorted.length) - 1] ?? 1;
  paint((i) =>
    Number.isNaN(values[i]) ? CATEGORIES[8] : onScale((values[i] - low) / (high - low || 1), dark),
  );
  return { colours, legend: { kind: 'scale', low, high } };
}

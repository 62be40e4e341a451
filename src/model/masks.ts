import type { ModelParts } from './parts.ts';

/** Options for units that see one patch of the picture each. */
export interface LocalMaskOptions {
  readonly image: { readonly height: number; readonly width: number };
  readonly H: number;
  /** Height and width of a patch in pixels: one number for a square. */
  readonly patch: number | readonly [height: number, width: number];
  /** Pixels from one patch to the next. Default: the most even grid over the picture for H units. */
  readonly stride?: number;
}

/**
 * A mask (V x H) by locality: the units take turns at patches on a grid that covers the picture from border
 * to border. A pixel outside all patches only gets its base rate, so patches should overlap or meet.
 */
export function localMask(options: LocalMaskOptions): Uint8Array {
  const { image, H, stride } = options;
  const [height, width] = typeof options.patch === 'number' ? [options.patch, options.patch] : options.patch;
  check(
    'patch',
    Number.isInteger(height) && Number.isInteger(width) && height >= 1 && width >= 1,
    `${height} x ${width}`,
  );
  check('stride', stride === undefined || (Number.isInteger(stride) && stride >= 1), `${stride}`);
  check('H', Number.isInteger(H) && H >= 1, `${H}`);
  if (height > image.height || width > image.width) {
    throw new RangeError(
      `localMask: a patch of ${height} x ${width} does not fit into pictures of ${image.height} x ${image.width}`,
    );
  }
  const down = Math.max(1, Math.round(Math.sqrt((H * image.height) / image.width)));
  const tops = stride
    ? strided(image.height - height, stride)
    : even(image.height - height, Math.min(down, H));
  const lefts = stride
    ? strided(image.width - width, stride)
    : even(image.width - width, Math.max(1, Math.floor(H / tops.length)));
  const mask = new Uint8Array(image.height * image.width * H);
  for (let h = 0; h < H; h++) {
    const place = h % (tops.length * lefts.length);
    const top = tops[Math.floor(place / lefts.length)];
    const left = lefts[place % lefts.length];
    for (let y = top; y < top + height; y++) {
      for (let x = left; x < left + width; x++) mask[(y * image.width + x) * H + h] = 1;
    }
  }
  return mask;
}

/**
 * A mask (V x H) by strength: the k strongest units of each bit. Strength is |b_vh w_vh|, how much the pair
 * lowers the slack, which does not depend on a unit's scale; or, with 'correlation', |b_vh|. To learn again
 * with only these pairs, continue from the model: `fit(rows, { H, chosen: strongestMask(model, k), start:
 * model.W })`.
 */
export function strongestMask(
  model: Pick<ModelParts, 'B' | 'W' | 'V' | 'H'>,
  k: number,
  by: 'slack' | 'correlation' = 'slack',
): Uint8Array {
  const { B, W, V, H } = model;
  const width = B.length / V;
  if (!(Number.isInteger(k) && k >= 1 && k <= H)) {
    throw new RangeError(`strongestMask: k must be a whole number from 1 to H = ${H}, got ${k}`);
  }
  const mask = new Uint8Array(V * H);
  for (let v = 0; v < V; v++) {
    const strength = Float64Array.from({ length: H }, (_, h) => {
      const at = v * width + h;
      return Math.abs(by === 'slack' ? B[at] * W[at] : B[at]);
    });
    const units = Array.from(strength.keys()).sort((a, b) => strength[b] - strength[a] || a - b);
    for (const h of units.slice(0, k)) mask[v * H + h] = 1;
  }
  return mask;
}

/** `count` starting points from 0 to `last`, spaced as evenly as whole numbers allow. */
function even(last: number, count: number): number[] {
  return Array.from({ length: count }, (_, k) =>
    Math.round(count === 1 ? last / 2 : (k * last) / (count - 1)),
  );
}

/** Starting points at every multiple of the stride, and at `last` to reach the border. */
function strided(last: number, stride: number): number[] {
  const starts = Array.from({ length: Math.floor(last / stride) + 1 }, (_, k) => k * stride);
  return starts.at(-1) === last ? starts : [...starts, last];
}

function check(name: string, fine: boolean, found: string): void {
  if (!fine)
    throw new RangeError(`localMask: ${name} must be made of whole numbers of at least 1, got ${found}`);
}

/** Which part of the map is in sight: its middle, and how many pixels a unit takes. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** All of [-1, 1] in both directions. */
export function whole({ width, height }: Size): View {
  return { x: 0, y: 0, scale: 0.47 * Math.min(width, height) };
}

export function toMap(view: View, size: Size, px: number, py: number): [number, number] {
  return [view.x + (px - size.width / 2) / view.scale, view.y - (py - size.height / 2) / view.scale];
}

export function toScreen(view: View, size: Size, x: number, y: number): [number, number] {
  return [size.width / 2 + (x - view.x) * view.scale, size.height / 2 - (y - view.y) * view.scale];
}

/** Nearer by a factor, so that what is under the pointer stays there. */
export function zoomed(
  view: View,
  size: Size,
  factor: number,
  px = size.width / 2,
  py = size.height / 2,
): View {
  const [x, y] = toMap(view, size, px, py);
  const scale = Math.max(20, Math.min(1e6, view.scale * factor));
  const kept = view.scale / scale;
  return { x: x + (view.x - x) * kept, y: y + (view.y - y) * kept, scale };
}

/** Pixels across a point: smaller where there are many, larger when one comes near. */
export function pointSize(n: number, view: View, size: Size): number {
  const near = view.scale / whole(size).scale;
  return Math.max(2, Math.min(14, (300 / Math.sqrt(n + 400)) * near ** 0.35));
}

import type { PenPath } from './hand.ts';

/**
 * Draws a pen path into a size x size picture of ink between 0 and 1, pixel (0, 0) at the top left.
 *
 * A pixel's ink is how far the pen's edge reaches past its centre, clipped to [0, 1]: edges fade over one
 * pixel. Overlapping strokes do not add up.
 */
export function drawStroke(ink: Float64Array, size: number, path: PenPath): void {
  for (let k = 0; k + 1 < path.x.length; k++) drawSegment(ink, size, path, k);
}

function drawSegment(ink: Float64Array, size: number, path: PenPath, k: number): void {
  const ax = path.x[k];
  const ay = path.y[k];
  const dx = path.x[k + 1] - ax;
  const dy = path.y[k + 1] - ay;
  const radius = path.radius[k];
  const growth = path.radius[k + 1] - radius;
  const reach = Math.max(radius, radius + growth) + 0.5;
  const left = Math.max(0, Math.ceil(Math.min(ax, ax + dx) - reach));
  const right = Math.min(size - 1, Math.floor(Math.max(ax, ax + dx) + reach));
  const top = Math.max(0, Math.ceil(Math.min(ay, ay + dy) - reach));
  const bottom = Math.min(size - 1, Math.floor(Math.max(ay, ay + dy) + reach));
  const squared = dx * dx + dy * dy;
  const inverse = squared > 0 ? 1 / squared : 0;
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) {
      const t = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) * inverse));
      const ex = x - ax - t * dx;
      const ey = y - ay - t * dy;
      const value = radius + growth * t + 0.5 - Math.sqrt(ex * ex + ey * ey);
      const at = y * size + x;
      if (value > ink[at]) ink[at] = Math.min(1, value);
    }
  }
}

/**
 * At most so many of a list, evenly over all of it, the last among them: no curve shows more, and lists of a
 * long run have no end.
 */
export function thinned<T>(list: readonly T[], most = MOST): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, k) => list[Math.round((k * (list.length - 1)) / (most - 1))]);
}

const MOST = 400;

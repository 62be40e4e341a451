/**
 * The sum of arrays, one per shard in the manifest's order, in float64 by a tree of fixed shape: neighbours
 * are added, then neighbours of those, whoever computed them and in whatever order they came.
 */
export function treeSum(parts: readonly ArrayLike<number>[]): Float64Array {
  if (parts.length === 0) throw new RangeError('treeSum: there is nothing to add');
  let level: Float64Array[] = parts.map((part) => Float64Array.from(part));
  while (level.length > 1) {
    const above: Float64Array[] = [];
    for (let k = 0; k < level.length; k += 2) {
      const [left, right] = [level[k], level[k + 1]];
      if (right) for (let i = 0; i < left.length; i++) left[i] += right[i];
      above.push(left);
    }
    level = above;
  }
  return level[0];
}

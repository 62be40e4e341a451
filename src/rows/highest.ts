/**
 * Takes a place among the highest scores so far, which fall from first to last, or leaves it out where it is
 * no higher than the last. Of equals, the one that was there first comes first.
 */
export function keepHighest(
  scores: Float32Array | Float64Array,
  places: Int32Array | Uint32Array,
  score: number,
  place: number,
): void {
  let k = scores.length - 1;
  if (!(score > scores[k])) return;
  for (; k > 0 && scores[k - 1] < score; k--) {
    scores[k] = scores[k - 1];
    places[k] = places[k - 1];
  }
  scores[k] = score;
  places[k] = place;
}

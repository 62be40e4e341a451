/**
 * Inserts a place into the list of the highest scores so far, in falling order, unless its score is no higher
 * than the last. Among equal scores, the earlier one stays first.
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

/** Whole numbers as spans [first, end), in order: how a task names its shards, however many they are. */
export type Spans = readonly (readonly [first: number, end: number])[];

export function spansOf(numbers: readonly number[]): Spans {
  const spans: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last?.[1] === number) last[1]++;
    else spans.push([number, number + 1]);
  }
  return spans;
}

export function numbersIn(spans: Spans): number[] {
  return spans.flatMap(([first, end]) => Array.from({ length: end - first }, (_, k) => first + k));
}

/** 'shard 3', 'shards 0-11, 14'. */
export function sayShards(spans: Spans): string {
  const text = spans.map(([first, end]) => (end === first + 1 ? `${first}` : `${first}-${end - 1}`));
  return `${numbersIn(spans).length === 1 ? 'shard' : 'shards'} ${text.join(', ')}`;
}

// What a round takes, on paper. Shards are dealt to workers, in two waves (sums, then slopes) that each wait for the last one; the
// coordinator reads what every shard has sent and adds it up.

/** Seconds of a round, from the seconds of a shard's task, of talking about one, and of the coordinator. */
export function predictedRound({ S, workers, taskSeconds, perTask, coordinator }) {
  return 2 * Math.ceil(S / workers) * taskSeconds + (2 * S * perTask) / Math.min(workers, S) + coordinator;
}

/** Seconds per round for 10, 100 and 1,000 workers and 10^8 to 10^11 rows, in shards of 43,000 rows (4 MiB). */
export function table({ rowSeconds, perTask, coordinatorPerShard, V, H }) {
  const lines = [
    'on paper, hours per round of this engine (one thread per worker); in brackets the share that is not work:',
  ];
  const sums = 4 * V * (((H + 1) * (H + 2)) / 2 + H + 1);
  for (const exponent of [8, 9, 10, 11]) {
    const n = 10 ** exponent;
    const S = Math.ceil(n / 43_000);
    const cells = [10, 100, 1000].map((workers) => {
      const taskSeconds = (rowSeconds * 43_000) / 2;
      const coordinator = S * coordinatorPerShard;
      const seconds = predictedRound({ S, workers, taskSeconds, perTask, coordinator });
      const share = 1 - (rowSeconds * n) / workers / seconds;
      return `${workers} workers ${(seconds / 3600).toPrecision(2)} h (${Math.round(100 * share)}%)`;
    });
    lines.push(
      `  10^${exponent} rows, ${S} shards, ${((S * sums) / 1e9).toPrecision(2)} GB of sums: ${cells.join(', ')}`,
    );
  }
  const most = rowSeconds / (coordinatorPerShard / 43_000);
  lines.push(
    `  the coordinator, which adds up ${(sums / 1e6).toPrecision(2)} MB per shard, is as busy as all workers with ${Math.round(most)} of them`,
  );
  return lines.join('\n');
}

// What a round takes, on paper. Workers bring the codes of their shards on and sum up (first wave), then
// search (second wave); each wave waits for the slowest. The coordinator works Hessians of its own rows out
// meanwhile, and afterwards adds up one sum per worker.

/**
 * Seconds of a round. `work` is what one worker takes for all rows, `hessians` what the coordinator computes
 * meanwhile, `wave` what it takes to hand a wave out and to hear of its end, `perWorker` what one worker's
 * sums cost the coordinator. `cores`: of the machine, where all are on one.
 */
export function predictedRound({ S, workers, work, hessians, wave, perWorker, rest, cores = Infinity }) {
  const share = Math.ceil(S / workers) / S;
  const computing = Math.max(work * share, hessians, (work + hessians) / cores);
  return computing + 2 * wave + workers * perWorker + rest;
}

/** Hours per round for 10, 100 and 1,000 workers and 10^8 to 10^11 rows, in shards of 43,000 rows (4 MiB). */
export function table({ rowSeconds, hessians, wave, perWorker, rest }) {
  const lines = [
    'on paper, per round of this engine, one thread per worker; in brackets the share that is not work:',
  ];
  for (const exponent of [8, 9, 10, 11]) {
    const n = 10 ** exponent;
    const S = Math.ceil(n / 43_000);
    const cells = [10, 100, 1000].map((workers) => {
      const work = rowSeconds * n;
      const seconds = predictedRound({ S, workers, work, hessians, wave, perWorker, rest });
      return `${workers} workers ${said(seconds)} (${((100 * (seconds - work / workers)) / seconds).toFixed(1)}%)`;
    });
    lines.push(`  10^${exponent} rows, ${S} shards: ${cells.join(', ')}`);
  }
  for (const exponent of [8, 11]) {
    const most = Math.sqrt((rowSeconds * 10 ** exponent) / perWorker);
    lines.push(`  10^${exponent} rows: with ${Math.round(most)} workers adding up takes as long as the work`);
  }
  return lines.join('\n');
}

function said(seconds) {
  return seconds < 600 ? `${seconds.toPrecision(2)} s` : `${(seconds / 3600).toPrecision(2)} h`;
}

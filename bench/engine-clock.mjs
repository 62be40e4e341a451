/**
 * Repeats `run`, which makes `steps` steps, for some seconds of the wall clock or of CPU time; steps per
 * second.
 */
export async function stepsPerSecond({ seconds, clock }, steps, run) {
  const now = clock === 'cpu' ? cpuSeconds : () => performance.now() / 1000;
  const start = now();
  let count = 0;
  let elapsed = 0;
  do {
    await run();
    count += steps;
    elapsed = now() - start;
  } while (elapsed < seconds);
  return count / elapsed;
}

function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The Python to ask: the variable PYTHON, or python3. */
const python = process.env.PYTHON ?? 'python3';

/** NumPy and PyTorch on so many threads, where a Python that has them is found. */
export function pythonContestants(threadCounts) {
  const found = [];
  for (const [library, label] of [
    ['numpy', 'NumPy'],
    ['torch', 'PyTorch'],
  ]) {
    const { status } = spawnSync(python, ['-c', `import ${library}`]);
    if (status !== 0) {
      console.log(`${label}: skipped, ${python} does not have ${library}`);
      continue;
    }
    for (const threads of threadCounts) found.push(contestant(library, label, threads));
  }
  return found;
}

function contestant(library, label, threads) {
  const count = String(threads);
  const child = spawn(python, [new URL('./engine-python.py', import.meta.url).pathname, library, count], {
    env: { ...process.env, OMP_NUM_THREADS: count, OPENBLAS_NUM_THREADS: count, MKL_NUM_THREADS: count },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    name: `${label}, ${threads} thread${threads > 1 ? 's' : ''}`,
    async measure({ V, H, n, side, seconds, clock }) {
      child.stdin.write(`${V} ${H} ${n} ${side} ${seconds} ${clock}\n`);
      return Number((await lines.next()).value);
    },
    async close() {
      child.stdin.end();
    },
  };
}

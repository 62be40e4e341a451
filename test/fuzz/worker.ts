import { readFileSync, writeFileSync } from 'node:fs';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import type { Case } from './case.ts';
import { type Outcome, open } from './open.ts';

/** What a worker says of a file. */
export interface Answer extends Outcome {
  /** Of the processor, not of the clock: others may be using the machine. */
  readonly seconds: number;
  /** How far memory rose above what it was before, in MiB. */
  readonly memory: number;
}

/**
 * A process of its own, which opens one file after the other; whoever started it watches it, and may end it.
 */
const engine = await createWasmEngine();
let stray: unknown;
process.on('unhandledRejection', (reason) => {
  stray = reason;
});
process.on('message', (given: Case) => void answer(given).then((found) => process.send!(found)));
process.on('disconnect', () => process.exit());
process.send!('ready');

async function answer(given: Case): Promise<Answer> {
  const before = quietMemory();
  const began = process.cpuUsage();
  let outcome = await open(given, engine);
  const { user, system } = process.cpuUsage(began);
  const memory = peakMemory() - before;
  await new Promise(setImmediate);
  if (stray !== undefined) outcome = { kind: 'finding', message: `left behind: ${(stray as Error)?.stack}` };
  stray = undefined;
  return { ...outcome, seconds: (user + system) / 1e6, memory };
}

/**
 * Memory in use; from now on the system looks for its peak. Where there is no /proc, nothing is known of
 * peaks.
 */
function quietMemory(): number {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Another system: the peak is then what it is at the end.
  }
  return peakMemory();
}

function peakMemory(): number {
  try {
    return Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024;
  } catch {
    return process.memoryUsage().rss / 2 ** 20;
  }
}

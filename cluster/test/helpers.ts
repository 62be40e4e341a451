import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rows } from 'pc-ae/rows';
import { afterAll, afterEach } from 'vitest';
import { fileShelf } from '../src/store/file-shelf.ts';
import { Store } from '../src/store/store.ts';

/** The command as people run it. `npm test` builds it first. */
const main = resolve(import.meta.dirname, '../dist/main.js');

/** A folder of the test file's own, which goes with it. */
export function workFolder(): (...names: string[]) => string {
  const folder = mkdtempSync(join(tmpdir(), 'pcae-cluster-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (...names) => join(folder, ...names);
}

export function fileStore(folder: string): Store {
  return new Store(fileShelf(folder));
}

/** Processes of the command, which end with the test at the latest. */
export function processes() {
  const running = new Set<ChildProcess>();
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL');
    running.clear();
  });
  /** `limit`: a line of bash that comes before, such as what `ulimit` allows it. */
  return (argv: readonly string[], env: Record<string, string> = {}, limit = ''): Started => {
    const words = [process.execPath, main, ...argv];
    const [program, ...rest] = limit ? ['bash', '-c', `${limit}; exec "$@"`, 'bash', ...words] : words;
    const child = spawn(program, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    running.add(child);
    const texts = { out: '', err: '' };
    child.stdout.on('data', (piece) => {
      texts.out += piece;
    });
    child.stderr.on('data', (piece) => {
      texts.err += piece;
    });
    const ended = new Promise<Ended>((done) =>
      child.on('close', (code) => {
        running.delete(child);
        done({ code, ...texts });
      }),
    );
    return { child, ended, said: () => texts.err };
  };
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  said(): string;
}

/** Waits until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(5);
}

/** Rows of bits with a few causes behind them, the same for a seed. */
export function patterns(n: number, V: number, seed = 1): Rows {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const causes = Array.from({ length: 4 }, () => Array.from({ length: V }, () => random() < 0.4));
  const stride = (V + 7) >> 3;
  const bits = new Uint8Array(n * stride);
  for (let i = 0; i < n; i++) {
    const on = causes.filter(() => random() < 0.5);
    for (let v = 0; v < V; v++) {
      const one = on.some((cause) => cause[v]) !== random() < 0.05;
      if (one) bits[i * stride + (v >> 3)] |= 1 << (v & 7);
    }
  }
  return { kind: 'bits', n, V, bits };
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Io } from '../src/commands/session.ts';
import { run } from '../src/program.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** What --json printed. */
  readonly json: () => Record<string, never>;
}

/** Runs a command line in this process and collects what it prints. */
export async function paper(argv: readonly string[], given: Partial<Io> = {}): Promise<Ran> {
  let [out, err] = ['', ''];
  const code = await run(argv, {
    terminal: false,
    signal: given.signal ?? new AbortController().signal,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
      given.err?.(text);
    },
  });
  return { code, out, err, json: () => JSON.parse(out) };
}

/** A folder for the files of one test file, removed at its end. */
export function workFolder(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'pcae-paper-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (name) => join(folder, name);
}

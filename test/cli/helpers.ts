import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { run } from '../../src/cli/run.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** What --json printed. */
  readonly json: () => Record<string, never>;
}

export function silentIo(): Io {
  return {
    out: async () => undefined,
    err: () => undefined,
    control: () => undefined,
    atEnd: () => undefined,
    outTerminal: false,
    ownProcess: false,
    terminal: false,
    width: 100,
    color: false,
    signal: new AbortController().signal,
  };
}

/** Runs a command line in this process and collects what it prints. */
export async function pcae(argv: readonly string[], given: Partial<Io> = {}): Promise<Ran> {
  const out: Uint8Array[] = [];
  let err = '';
  const io: Io = {
    ...silentIo(),
    out: async (data) => {
      out.push(typeof data === 'string' ? Buffer.from(data) : data);
    },
    ...given,
    err: (text) => {
      err += text;
      given.err?.(text);
    },
  };
  const code = await run(argv, io);
  const text = Buffer.concat(out).toString();
  return { code, out: text, err, json: () => JSON.parse(text) };
}

/** A folder for the files of one test file, removed at its end. */
export function workFolder(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'pcae-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (name) => join(folder, name);
}

/** Rows of 0 and 1 with structure: each copies one of four patterns, with a few bits flipped. */
export function patterns(n: number, V: number, seed = 1): number[][] {
  const random = xoroshiro128plus(seed);
  const share = () => (random.next() >>> 0) / 2 ** 32;
  const kinds = Array.from({ length: 4 }, () => Array.from({ length: V }, () => Number(share() < 0.5)));
  return Array.from({ length: n }, () => {
    const kind = kinds[Math.floor(4 * share())];
    return kind.map((bit) => (share() < 0.08 ? 1 - bit : bit));
  });
}

export function writeCsv(
  path: string,
  rows: readonly (readonly number[])[],
  columns?: readonly string[],
): void {
  const lines = rows.map((row) => row.join(','));
  writeFileSync(path, `${[...(columns ? [columns.join(',')] : []), ...lines].join('\n')}\n`);
}

export function readLines(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

/**
 * Patterns as a table with names, and a small model that has learned them: what most commands are tried on.
 */
export function learnedPatterns() {
  const at = workFolder();
  const V = 10;
  const names = columnNames(V);
  const data = at('data.csv');
  const model = at('model.safetensors');
  beforeAll(async () => {
    writeCsv(data, patterns(200, V), names);
    const { code, err } = await pcae(['train', data, '-H', '3', '--epochs', '30', '-o', model]);
    expect(code, err).toBe(0);
  });
  return { at, V, names, data, model };
}

/** The same with rows kept aside that the model has not seen. */
export function learnedAndOthers() {
  const at = workFolder();
  const names = columnNames(12);
  const train = at('train.csv');
  const test = at('test.csv');
  const model = at('model.safetensors');
  beforeAll(async () => {
    const rows = patterns(300, 12);
    writeCsv(train, rows.slice(0, 240), names);
    writeCsv(test, rows.slice(240), names);
    const { code, err } = await pcae(['train', train, '-H', '3', '--epochs', '20', '-o', model]);
    expect(err).toContain('240 rows of 12 bits');
    expect(code).toBe(0);
  });
  return { at, names, train, test, model };
}

function columnNames(V: number): string[] {
  return Array.from({ length: V }, (_, v) => `bit${v}`);
}

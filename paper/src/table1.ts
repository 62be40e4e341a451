import { cpus } from 'node:os';
import { join } from 'node:path';
import { type Engine, FormatError } from 'pc-ae';
import { foldCount, hashSet, loadSet, type PaperData } from './datasets.ts';
import type { RunContext } from './learn.ts';
import { TABLE_ROWS, type TableRow } from './published.ts';
import { addRun, type RunRecord, readRuns } from './results.ts';
import { type Column, RUNS, type Run } from './runs.ts';

interface Table1Options {
  /** The folder with the data sets. */
  readonly data: string;
  /** Where results are kept: a file a row in its folder `table1`. */
  readonly out: string;
  /** Rows to work on. Default: all. */
  readonly only?: readonly string[];
  readonly columns?: readonly Column[];
  /** Folds to run of a set that has no split of its own. Default: all ten. */
  readonly folds?: number;
  readonly seed: number;
  readonly epochs?: number;
  /** Where the autoencoders are kept that the figures show. Default: nowhere. */
  readonly models?: string;
  /** What the records say of the program. */
  readonly program: string;
  readonly signal?: AbortSignal;
  readonly withEngine: (work: (engine: Engine) => Promise<void>) => Promise<void>;
  /** Makes what is told how far a run has come, from its name. */
  readonly progressOf?: (name: string) => RunContext['onProgress'];
  /** Called after each run, whether it was done now or before. */
  readonly onRun?: (row: TableRow, record: RunRecord, stored: boolean) => Promise<void>;
}

/** Does all runs of the table that have not been done yet, row by row and fold by fold. */
export async function runTable1(options: Table1Options): Promise<void> {
  const { only, columns, folds = Number.POSITIVE_INFINITY } = options;
  for (const row of TABLE_ROWS.filter(({ name }) => !only || only.includes(name))) {
    const hashes = await hashSet(options.data, row.set);
    const count = foldCount(row.set);
    for (let fold = 0; fold < Math.min(count, folds); fold++) {
      const place = count > 1 ? fold : undefined;
      let data: PaperData | undefined;
      for (const run of RUNS.filter(({ column }) => !columns || columns.includes(column))) {
        options.signal?.throwIfAborted();
        const wanted = { fold: place, seed: options.seed, settings: settingsOf(run, options), data: hashes };
        const stored = await findRun(rowFile(options.out, row.name), run.name, wanted);
        if (stored) {
          await options.onRun?.(row, stored, true);
          continue;
        }
        data ??= await loadSet(options.data, row.set, { fold });
        const record = await measure(run, row, data, wanted, options);
        await addRun(rowFile(options.out, row.name), row.name, record);
        await options.onRun?.(row, record, false);
      }
    }
  }
}

/** The file that keeps the runs of a row. */
function rowFile(out: string, name: string): string {
  return join(out, 'table1', `${name}.json`);
}

/** All runs that are kept, row by row. */
export async function storedRuns(out: string): Promise<Map<string, RunRecord[]>> {
  const stored = new Map<string, RunRecord[]>();
  for (const { name } of TABLE_ROWS) stored.set(name, await readRuns(rowFile(out, name)));
  return stored;
}

type Wanted = Pick<RunRecord, 'fold' | 'seed' | 'settings' | 'data'>;

/**
 * The run of this name and fold, if it has been done: with the same seed, settings and data; the program may
 * have been another. One folder keeps one protocol, so a run that was done otherwise is neither used nor
 * replaced.
 */
async function findRun(path: string, name: string, wanted: Wanted): Promise<RunRecord | undefined> {
  const found = (await readRuns(path)).find(({ run, fold }) => run === name && fold === wanted.fold);
  if (found === undefined || facts(found) === facts(wanted)) return found;
  throw new FormatError(
    path,
    `run ${name}`,
    `was done with other settings (${facts(found)} instead of ${facts(wanted)}); name another folder with --out, or remove the file`,
  );
}

function facts({ seed, settings, data }: Wanted): string {
  const sorted = (object: object) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));
  const all = [['seed', seed], ...sorted(settings), ...sorted(data)];
  return all.map(([name, value]) => `${name} ${String(value).slice(0, 16)}`).join(', ');
}

function settingsOf(run: Run, { epochs }: Table1Options): RunRecord['settings'] {
  return epochs === undefined ? { ...run.settings } : { ...run.settings, epochs };
}

async function measure(
  run: Run,
  row: TableRow,
  data: PaperData,
  wanted: Wanted,
  options: Table1Options,
): Promise<RunRecord> {
  const { seed, epochs, models, signal } = options;
  const name = `${row.name} ${run.name}${wanted.fold === undefined ? '' : ` fold ${wanted.fold}`}`;
  let record: RunRecord | undefined;
  await options.withEngine(async (engine) => {
    const onProgress = options.progressOf?.(name);
    const began = performance.now();
    const before = process.cpuUsage();
    const measured = await run.measure(data, row.H, { engine, seed, epochs, models, signal, onProgress });
    const used = process.cpuUsage(before);
    record = {
      run: run.name,
      H: row.H,
      ...measured,
      ...wanted,
      wallSeconds: round((performance.now() - began) / 1000),
      cpuSeconds: round((used.user + used.system) / 1e6),
      threads: engine.threads,
      program: options.program,
      machine: {
        cpu: cpus()[0]?.model.trim() ?? 'unknown',
        cores: cpus().length,
        node: process.version,
        engine: engine.name,
      },
      finished: new Date().toISOString(),
    };
  });
  if (!record) throw new Error(`${name}: nothing was measured`);
  return record;
}

function round(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}

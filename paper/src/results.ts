import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FormatError } from 'pc-ae';
import { writeAtomic } from 'pc-ae/node';
import { z } from 'zod';

/**
 * What a finished run leaves behind. One file holds the runs of one row of the table; it is replaced as a
 * whole after each run, so that an interruption costs the run at hand and nothing else.
 */
const gapSchema = z.object({ mean: z.number(), max: z.number() });

const recordSchema = z.object({
  run: z.string(),
  /** The fold that was tested on, from 0, where a set has no split of its own. */
  fold: z.number().int().optional(),
  H: z.number().int(),
  /** Mean test losses in nats per row, by what was measured. */
  losses: z.record(z.string(), z.number()),
  /** Certified gaps of the test codes, in nats. */
  gaps: z.record(z.string(), gapSchema).optional(),
  rows: z.object({ train: z.number(), validation: z.number().optional(), test: z.number() }),
  epochs: z.record(z.string(), z.number()).optional(),
  seed: z.number().int(),
  /** Options of learning that are not the defaults. */
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /**
   * Learning and measuring together. Others may have used the machine too: processor time does not mind them.
   */
  wallSeconds: z.number(),
  cpuSeconds: z.number(),
  threads: z.number().int(),
  /** SHA-256 of the data files. */
  data: z.record(z.string(), z.string()),
  program: z.string(),
  machine: z.object({ cpu: z.string(), cores: z.number(), node: z.string(), engine: z.string() }),
  finished: z.string(),
});

const fileSchema = z.object({ row: z.string(), runs: z.array(recordSchema) });

export type RunRecord = z.infer<typeof recordSchema>;

/** The runs in a file; none where there is no such file yet. */
export async function readRuns(path: string): Promise<RunRecord[]> {
  const found = await readJson(path);
  if (found === undefined) return [];
  const checked = fileSchema.safeParse(found);
  if (checked.success) return checked.data.runs;
  const issue = checked.error.issues[0];
  throw new FormatError(path, issue.path.join('.'), `is not a file of results (${issue.message})`);
}

/**
 * Adds a run to a file, in the place of an older one of the same name and fold. The file is read again first:
 * runs that another program has added since this one began are kept.
 */
export async function addRun(path: string, row: string, record: RunRecord): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const others = (await readRuns(path)).filter(({ run, fold }) => run !== record.run || fold !== record.fold);
  const runs = [...others, record].sort((a, b) => (a.fold ?? 0) - (b.fold ?? 0) || (a.run < b.run ? -1 : 1));
  await writeJson(path, { row, runs });
}

/** What a JSON file holds; undefined where there is no such file. */
async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FormatError(path, '', 'is not JSON; remove it to measure what it held again', cause);
  }
}

export async function writeJson(path: string, value: unknown): Promise<void> {
  await writeAtomic(path, [`${JSON.stringify(value, undefined, 1)}\n`], { force: true });
}

/** What a JSON file of facts holds, by name; nothing where there is no such file yet. */
export async function readFacts(path: string): Promise<Record<string, unknown>> {
  const found = await readJson(path);
  if (found === undefined) return {};
  if (typeof found === 'object' && found !== null) return { ...found };
  throw new FormatError(path, '', 'does not hold facts by name; remove it to measure them again');
}

/** Puts facts under a name in a JSON file of such, in the place of older ones. */
export async function addFacts(path: string, name: string, facts: unknown): Promise<void> {
  await writeJson(path, { ...(await readFacts(path)), [name]: facts });
}

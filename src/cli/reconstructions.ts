import { Option } from 'commander';
import type { OpenedSource } from '../formats/options.ts';
import type { WriteOptions } from '../formats/write.ts';
import type { Autoencoder, EncodeOptions } from '../model/autoencoder.ts';
import { cellsOf } from '../model/cells.ts';
import { completeSource } from '../model/complete.ts';
import { eraseUnsure, fillingFor, fillUnknown } from '../model/impute.ts';
import { PCAE } from '../model/model.ts';
import { type ShrinkRequest, type Shrunk, shrinkFor } from '../model/shrunk.ts';
import type { Filling } from '../promises/filled.ts';
import { normaliseGroups } from '../rows/groups.ts';
import { entry, type Rows, rowBytes } from '../rows/rows.ts';
import { UsageError } from './errors.ts';
import { type OutputOptions, outputFormat, writeRows } from './output.ts';
import type { Session } from './session.ts';

/** How a reconstruction is written. */
export type WrittenAs = 'unit' | 'signs' | 'bits' | 'words';

export const asOption = () =>
  new Option(
    '--as <kind>',
    'write probabilities of a one (unit), numbers from -1 to 1 (signs), bits, or the words of the table, each the ' +
      'likeliest (default: unit, and bits for a .bits file)',
  ).choices(['unit', 'signs', 'bits', 'words']);

/** Reconstructions in [-1, 1], as real rows or rounded to bits. */
export function reconstructedRows(values: Float32Array, V: number, as: WrittenAs): Rows {
  const n = values.length / V;
  if (as !== 'bits') return { kind: 'real', n, V, values };
  const stride = rowBytes(V);
  const bits = new Uint8Array(n * stride);
  const known = new Uint8Array(n * stride);
  for (let k = 0; k < values.length; k++) {
    const v = k % V;
    const at = Math.floor(k / V) * stride + (v >> 3);
    if (values[k] > 0) bits[at] |= 1 << (v & 7);
    if (!Number.isNaN(values[k])) known[at] |= 1 << (v & 7);
  }
  const missing = values.some((value) => Number.isNaN(value));
  return { kind: 'bits', n, V, bits, ...(missing && { known }) };
}

export interface ReconstructingOptions extends OutputOptions {
  readonly as?: WrittenAs;
  readonly tolerance?: number;
  readonly threads?: number;
}

/**
 * Encodes the rows of a source, decodes the codes and writes the reconstructions. With `fill`, only missing
 * entries are replaced, and codes are shrunk by as much as is best for the first rows.
 */
export async function writeReconstructions(
  session: Session,
  model: Autoencoder,
  source: OpenedSource,
  options: ReconstructingOptions & FillingOptions,
  fill: boolean,
): Promise<(Partial<Shrunk> & FilledIn) | undefined> {
  const { n, V } = source;
  const as = writtenAs(options, session, model);
  const { groups } = model;
  return session.withEngine(options.threads, async (engine) => {
    const { tolerance } = options;
    const filling = options.wrong === undefined ? undefined : fillingOf(model, options.wrong, options);
    const shrunk = fill ? await shrunkFor(model, source, { ...options, ...filling, engine }) : undefined;
    const cells = cellsOf(V, groups);
    let missing = 0;
    let filledIn = 0;
    async function* chunks() {
      const show = session.showing('reconstructing');
      let done = 0;
      const encoding = { engine, tolerance, shrink: shrunk?.shrink, signal: session.io.signal };
      const pieces =
        fill && model instanceof PCAE
          ? completeSource(model, source, encoding)
          : decodedSource(model, source, encoding);
      for await (const { rows, shares } of pieces) {
        if (filling) eraseUnsure(shares, { V, groups }, filling.threshold);
        if (fill && mayLack(rows)) {
          for (let i = 0; i < rows.n; i++) {
            for (const { first } of cells) {
              if (!Number.isNaN(entry(rows, i, first))) continue;
              missing++;
              if (!Number.isNaN(shares[i * V + first])) filledIn++;
            }
          }
        }
        yield reconstructedRows(fill ? fillUnknown(rows, shares).values : shares, V, as);
        done += rows.n;
        show(done / n);
      }
    }
    const { columns = model.columns, ids, image } = source;
    const schema = { ...source.schema, words: { ...model.schema?.words, ...source.schema.words } };
    const rows = { n, V, columns, groups, ids, image, schema, chunks };
    await writeRows(rows, options, session, writingOf(as, model));
    return fill ? { ...shrunk, filling, missing, filledIn } : undefined;
  });
}

/** Reconstructions of rows from their codes, piece by piece. */
async function* decodedSource(model: Autoencoder, source: OpenedSource, options: EncodeOptions) {
  const { groups, V } = model;
  for await (const { rows, codes } of model.encodeSource(source, options)) {
    const decoded = await model.decode(codes, { engine: options.engine });
    yield { rows, shares: groups ? normaliseGroups(decoded, V, groups) : decoded };
  }
}

/** Which missing entries are filled in, and how. */
interface FillingOptions {
  readonly shrink?: number;
  /** The share of filled entries that may be wrong. */
  readonly wrong?: number;
  readonly confidence?: number;
}

/** Whether some of the rows' entries may be missing. */
function mayLack(rows: Rows): boolean {
  return rows.kind !== 'bits' || rows.known !== undefined;
}

/** What was filled in: a category counts as one entry. */
export interface FilledIn {
  /** What `wrong` allowed. */
  readonly filling?: Filling;
  /** The missing entries of the rows. */
  readonly missing: number;
  /** Those of them that were filled in. */
  readonly filledIn: number;
}

function fillingOf(
  model: Autoencoder,
  wrong: number,
  options: FillingOptions,
): Filling & { readonly shrink: number } {
  const guesses = model instanceof PCAE ? model.calibration?.guesses : undefined;
  if (!(model instanceof PCAE) || !guesses) {
    throw new UsageError('--wrong needs a calibrated model: see `pcae calibrate`, or --calibrate of train');
  }
  return { ...fillingFor(model, wrong, options), shrink: guesses.shrink };
}

/** Rows from which the strength of shrinking is chosen. */
const FIRST_ROWS = 4096;

async function shrunkFor(
  model: Autoencoder,
  source: OpenedSource,
  options: ShrinkRequest,
): Promise<Shrunk | undefined> {
  if (!(model instanceof PCAE)) {
    if (options.shrink === undefined) return undefined;
    throw new UsageError('--shrink is for models of one layer, and this file holds a stack');
  }
  for await (const rows of source.chunks(FIRST_ROWS)) return shrinkFor(model, rows, options);
  return undefined;
}

/**
 * The options of a writer. Beside words, other columns are bits unless the model learned from real values.
 */
export function writingOf(as: WrittenAs, { schema }: Pick<Autoencoder, 'schema'>): WriteOptions {
  if (as === 'words') return { values: schema?.kind === 'real' ? 'unit' : undefined, words: true };
  return { values: as === 'bits' ? undefined : as };
}

/** Columns of a file of reconstructions: a category is one word. */
export function writtenColumns(as: WrittenAs, { V, groups }: Pick<Autoencoder, 'V' | 'groups'>): number {
  return as === 'words' ? cellsOf(V, groups).length : V;
}

/** How entries are written; wrong combinations are refused before the work begins. */
export function writtenAs(
  options: OutputOptions & { readonly as?: WrittenAs },
  session: Session,
  model: Autoencoder,
): WrittenAs {
  const format = outputFormat(options, session);
  if (options.as === 'words') {
    if (!model.groups && !model.schema?.words)
      throw new UsageError('--as words: the model was learned from a table without words; use --as bits');
    if (format !== 'csv' && format !== 'tsv') throw new UsageError('--as words writes .csv or .tsv');
  }
  if (format !== 'bits') return options.as ?? 'unit';
  if (options.as === undefined || options.as === 'bits') return 'bits';
  throw new UsageError(`--as ${options.as}: a .bits file holds bits; write .npy or .csv, or leave --as out`);
}

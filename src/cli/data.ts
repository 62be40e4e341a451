import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Alike, wasGrey } from '../formats/like.ts';
import { openSource } from '../formats/node/open.ts';
import type { FormatName, OpenedSource, OpenOptions } from '../formats/options.ts';
import { FORMATS } from '../formats/recognise.ts';
import type { Binarize } from '../rows/binarize.ts';
import { declaredSchema } from '../rows/check-schema.ts';
import { conforming } from '../rows/conforming.ts';
import { counted } from '../rows/counted.ts';
import type { TableSchema } from '../rows/schema.ts';
import { splitWords } from '../rows/select.ts';
import { whole } from './parse.ts';
import type { Session } from './session.ts';

/** What the options of `addDataOptions` leave in a command's options. */
export interface DataOptions {
  readonly format?: FormatName;
  readonly values?: OpenOptions['values'];
  readonly binarize?: Binarize;
  readonly binarizeSeed?: number;
  readonly missing?: readonly string[];
  readonly ones?: readonly string[];
  readonly zeros?: readonly string[];
  readonly schema?: Partial<TableSchema>;
  readonly rows?: string;
  readonly columns?: string;
  readonly variable?: string;
  readonly genotypes?: TableSchema['genotypes'];
  readonly header?: boolean;
  readonly idColumn?: string | false;
  readonly layout?: OpenOptions['layout'];
  readonly delimiter?: string;
  readonly categorical?: boolean | string;
  readonly ignoreUnknown?: boolean;
  readonly width?: number;
  readonly maxBytes?: number;
}

/** The heading of these options in help. */
export const DATA_GROUP = 'How to read the data:';

/**
 * The options of every command that reads rows. None is needed where a table can be read in one way only.
 * `moreValues` are kinds of values that this command alone knows.
 */
export function addDataOptions(command: Command, moreValues: readonly string[] = []): Command {
  const { outputError } = command.configureOutput();
  return command
    .configureOutput({
      outputError: (text, write) => outputError?.(text + swallowed(command, text), write),
    })
    .optionsGroup(DATA_GROUP)
    .addOption(
      new Option('--format <name>', 'format of the data, if it cannot be recognised').choices(FORMATS),
    )
    .addOption(
      new Option('--values <kind>', 'what the numbers stand for').choices([
        'bits',
        'signs',
        'unit',
        'bytes',
        'presence',
        'packed',
        ...moreValues,
      ]),
    )
    .addOption(
      new Option(
        '--binarize <how>',
        'how grey values become bits (default: as the rows of the model did; without a model, sample for pictures)',
      ).choices(['sample', 'threshold', 'none']),
    )
    .option(
      '--binarize-seed <k>',
      "fixes the draws of --binarize sample (default: the model's, or 0)",
      whole(0),
    )
    .option(
      '--schema <file>',
      'read the table as this JSON file declares (pcae info writes one); other options override it',
      readSchema,
    )
    .option('--ones <words>', 'words that stand for a one, besides 1, true, yes', splitWords)
    .option(
      '--zeros <words>',
      "words that stand for a zero, besides 0, false, no; '' is the empty cell",
      splitWords,
    )
    .option('--missing <words>', 'numbers or words that stand for a missing entry', splitWords)
    .option('--rows <selection>', 'only these rows, as in 0:1000,-10: (numbered from 0)')
    .option('--columns <selection>', "only these columns, by number or name; or 'all but' these")
    .option(
      '--variable <name>',
      'the array to take from a .mat, .npz or .h5 file, or the list column of a table',
    )
    .addOption(
      new Option(
        '--genotypes <coding>',
        'PLINK files: an entry is 1 for one or two copies of the first allele (dominant), 1 for two copies (recessive), or the share of copies (additive)',
      ).choices(['dominant', 'recessive', 'additive']),
    )
    .option('--header', 'the first line of a text table names its columns')
    .option('--no-header', 'the first line is data')
    .option('--id-column <name>', 'the column that names the rows, by name or number')
    .option('--no-id-column', 'no column names the rows')
    .addOption(
      new Option(
        '--layout <shape>',
        'wide: one column per bit; long: lines of row,item; items: one line of items per row',
      ).choices(['wide', 'long', 'items']),
    )
    .option('--delimiter <character>', 'what separates the cells of a text table')
    .option(
      '--categorical [columns]',
      'columns of words or of whole numbers become categories, one bit per value: all such columns, or those named',
    )
    .option(
      '--ignore-unknown',
      'leave out items that the model has not seen, and count words that it has not seen as missing',
    )
    .option('--width <n>', 'number of columns, for a sparse file that does not say', whole(1))
    .option('--max-bytes <n>', 'most memory for what must be read at once (default: 4 GiB)', whole(1));
}

function readSchema(path: string): Partial<TableSchema> {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new InvalidArgumentError('There is no such file.');
    throw new InvalidArgumentError(`${path} cannot be read as JSON (${(error as Error).message}).`);
  }
  return conforming(
    declaredSchema,
    json,
    (place, message) =>
      new InvalidArgumentError(`${path} is not a schema: ${place.join('.') || 'top level'}: ${message}.`),
  );
}

/** Advice if an option with an optional value took the name of the data as its value. */
function swallowed(command: Command, error: string): string {
  const { categorical } = command.opts<DataOptions>();
  if (typeof categorical !== 'string' || !error.includes('missing required argument')) return '';
  return `--categorical took '${categorical}' for names of columns: put it after the data, or write --categorical=name,name\n`;
}

export function openOptions(options: DataOptions, signal?: AbortSignal): OpenOptions {
  const { format, schema, values, binarize, ones, zeros, missing, layout, variable, categorical } = options;
  const { binarizeSeed: seed, rows, columns, header, idColumn, ignoreUnknown, delimiter } = options;
  const { width, maxBytes, genotypes } = options;
  return {
    format,
    schema,
    values,
    binarize,
    seed,
    ones,
    zeros,
    missing,
    layout,
    variable,
    categorical,
    rows,
    columns,
    header,
    idColumn,
    ignoreUnknown,
    width,
    maxBytes,
    genotypes,
    signal,
    delimiter: delimiter === '\\t' ? '\t' : delimiter,
  };
}

/**
 * Opens rows for a model, and notes if their grey values are read differently from those of its training
 * rows.
 */
export async function openForModel(
  path: string,
  model: Alike,
  options: DataOptions,
  session: Session,
): Promise<OpenedSource> {
  const source = await openSource(path, { ...openOptions(options, session.io.signal), like: model });
  const learned = greyness(model.schema);
  const here = greyness(source.schema);
  if (learned && here && learned !== here) {
    session.say(
      `note: grey values of ${path} are ${here}; those that the model learned from were ${learned}`,
    );
  }
  return source;
}

/** Opens more rows of the same kind. A selection of rows was of the first ones alone. */
export function openAlike(path: string, like: OpenedSource, options: DataOptions): Promise<OpenedSource> {
  return openSource(path, { ...openOptions(options), rows: undefined, like });
}

/** A warning about doubtful names of columns, by which a model recognises the columns of new rows. */
export function columnNote({ name, columns = [] }: OpenedSource): string | undefined {
  const seen = new Set<string>();
  const twice = new Set(columns.filter((column) => seen.size === seen.add(column).size));
  if (twice.size === 0) return undefined;
  const some = [...twice].slice(0, 5).join(', ');
  return `note: ${name} has columns of the same name (${some}); rows for the model need their columns in the same order`;
}

/** The field `data` of results, in words. */
export const DATA_FIELDS = '{name, format, n, V, kind, values, binarize}: how the data were read';

/** How data were read, for results. */
export function describeData(
  source: Omit<OpenedSource, 'format'> & { readonly format: string },
): Record<string, unknown> {
  const { name, format, n, V, schema } = source;
  const { kind, values, binarize, seed } = schema;
  return { name, format, n, V, kind, values, binarize, ...(binarize === 'sample' && { binarizeSeed: seed }) };
}

/** The same in a line for people. */
export function dataLine(source: OpenedSource): string {
  const { name, format, n, V, ids, onlyOnes } = source;
  const { binarize, kind } = source.schema;
  const entries = kind === 'bits' ? 'bit' : 'real value';
  const how = binarize === 'none' ? '' : `, ${greyness(source.schema)}`;
  const named = ids?.heading ? `, named by column '${ids.heading}'` : ids ? ', with names' : '';
  const gaps = `; holds only ones and gaps: if an empty cell stands for a zero, use --zeros ''`;
  return `${name} (${format}): ${counted(n, 'row')} of ${counted(V, entries)}${how}${named}${onlyOnes ? gaps : ''}`;
}

/** What became of grey values, in words; undefined if there were none. */
export function greyness(schema: TableSchema | undefined): string | undefined {
  if (!schema || !wasGrey(schema)) return undefined;
  const { binarize, seed } = schema;
  if (binarize === 'none') return 'kept as they are';
  return binarize === 'sample' ? `binarised by sampling (seed ${seed})` : `binarised by ${binarize}`;
}

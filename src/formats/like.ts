import type { ColumnGroup } from '../rows/about.ts';
import { FormatError } from '../rows/errors.ts';
import { groupOfColumn } from '../rows/groups.ts';
import type { TableSchema } from '../rows/schema.ts';
import { inQuotes, selectColumns } from '../rows/select.ts';
import type { RowSource } from '../rows/source.ts';
import type { OpenedSource, OpenOptions } from './options.ts';

/** What rows may have to agree with: a model, a stack, or rows that were opened before. */
export type Alike = Pick<RowSource, 'V' | 'columns' | 'groups' | 'schema'>;

/**
 * Opens rows like those of `options.like`, where it is given: the same columns in the same order, found by name where
 * both have names, and numbers read alike unless the other options say how. `open` opens them by plain options.
 */
export async function openLike(
  options: OpenOptions,
  open: (options: OpenOptions) => Promise<OpenedSource>,
): Promise<OpenedSource> {
  const { like, ...rest } = options;
  if (!like) return open(rest);
  const { V, columns, groups, schema } = like;
  const { binarize, seed } = schema && wasGrey(schema) ? schema : {};
  const source = await open({
    ...rest,
    valuesIfUnclear: rest.valuesIfUnclear ?? (schema && saidValues(schema)),
    binarize: rest.binarize ?? binarize,
    seed: rest.seed ?? seed,
    layoutIfUnclear: schema?.layout === 'items' ? 'items' : undefined,
    present: rest.present ?? (schema?.zeros?.includes('') ? schema.ones?.[0] : undefined),
    idColumnIfThere: rest.idColumnIfThere ?? (schema?.idColumn as string | undefined),
    vocabulary: columns,
    groups,
    width: V,
  });
  const matched = columns && source.columns ? inOrder(source, columns) : source;
  if (matched.V === V) return matched;
  throw new FormatError(source.name, '', `has ${source.V} columns; the training rows have ${V}`);
}

/** Whether there were values between the two of a bit: kept as they are, or turned into bits. */
export function wasGrey({ kind, binarize }: TableSchema): boolean {
  return kind === 'real' || binarize !== 'none';
}

/** What the numbers stood for, where somebody had to say so or a picture did. */
function saidValues(schema: TableSchema): TableSchema['values'] | undefined {
  const { values } = schema;
  if (values === 'signs') return wasGrey(schema) ? values : undefined;
  return values === 'bits' || values === 'unit' ? undefined : values;
}

/** The columns that are known by name; others are left out, missing ones are an error. */
function inOrder(source: OpenedSource, columns: readonly string[]): OpenedSource {
  if (columns.length === source.V && columns.every((name, v) => name === source.columns![v])) return source;
  refuseLacking(source.name, columns, source.columns!);
  refuseTwins(source.name, columns, source.columns!);
  return { ...source, ...selectColumns(source, columns) };
}

/**
 * Throws where columns of the training rows are not in a table that names its own. A category may be there as one column
 * of words or as those of its values.
 */
export function refuseLacking(
  file: string,
  wanted: readonly string[],
  columns: readonly string[],
  groups: readonly ColumnGroup[] = [],
  advice = '',
): void {
  const found = new Set(columns);
  const group = groupOfColumn(groups, wanted.length);
  const absent = wanted.flatMap((name, v) =>
    found.has(name) || (group[v] && found.has(group[v].name)) ? [] : (group[v]?.name ?? name),
  );
  const lacking = [...new Set(absent)];
  if (lacking.length === 0) return;
  const some = lacking
    .slice(0, 5)
    .map((name) => (name === '' ? "''" : inQuotes(name)))
    .join(', ');
  const more = lacking.length > 5 ? ` and ${lacking.length - 5} more` : '';
  throw new FormatError(
    file,
    '',
    `lacks columns of the training rows: ${some}${more}${advice && `.${advice}`}`,
  );
}

/** Throws where a table has several columns of a name that the training rows had once: nobody can know which is meant. */
export function refuseTwins(
  file: string,
  wanted: readonly string[],
  columns: readonly string[],
  groups: readonly ColumnGroup[] = [],
): void {
  if (new Set(wanted).size < wanted.length) return;
  const names = new Set([...wanted, ...groups.map((group) => group.name)]);
  const seen = new Set<string>();
  const twin = columns.find((name) => names.has(name) && seen.size === seen.add(name).size);
  if (twin === undefined) return;
  const found = `has more than one column '${twin}', of which the training rows had one`;
  throw new FormatError(file, '', `${found}: say with --columns which ones to read, by their numbers`);
}

/** Where in a table the columns asked for are, if it has them all: what else it holds need not be bits. */
export function placesOf(
  wanted: readonly string[] | undefined,
  columns: readonly string[] | undefined,
): number[] | undefined {
  if (!wanted || !columns || new Set(wanted).size < wanted.length) return undefined;
  const places = new Map(columns.map((name, v) => [name, v]));
  const found = wanted.flatMap((name) => places.get(name) ?? []);
  return found.length === wanted.length ? found : undefined;
}

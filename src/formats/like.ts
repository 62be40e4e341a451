import { counted } from '../rows/counted.ts';
import { badFile } from '../rows/errors.ts';
import { groupOfColumn, tableColumns } from '../rows/groups.ts';
import type { TableSchema } from '../rows/schema.ts';
import { inQuotes, selectColumns } from '../rows/select.ts';
import type { RowSource } from '../rows/source.ts';
import { listed, type OpenedSource, type OpenOptions } from './options.ts';
import { wordsOf } from './table/cells.ts';

/** What new rows have to agree with: a model, a stack, or rows that were opened before. */
export type Alike = Pick<RowSource, 'V' | 'columns' | 'groups' | 'schema'>;

/**
 * Opens rows by options that say all: those given, what a schema declares and, with `like`, what the rows of
 * a model were, in this order. The columns are those of `like`, in its order, found by name where both have
 * names.
 */
export async function openDeclared(
  options: OpenOptions,
  open: (options: OpenOptions) => Promise<OpenedSource>,
): Promise<OpenedSource> {
  const { like, schema: said = {}, ...rest } = options;
  const schema = { ...learnedSchema(like?.schema), ...said };
  // What is said about columns belongs to a layout.
  const { header: _, idColumn: __, columns: ___, ...words } = schema;
  const declared: OpenOptions = {
    ...((rest.layout ?? schema.layout) === schema.layout ? schema : words),
    ...given(rest),
    ...wordsOf({ ones: listed(rest.ones), zeros: listed(rest.zeros), missing: listed(rest.missing) }, schema),
    ...(like && { like, width: like.V }),
  };
  const source = await open(declared);
  if (!like) return source;
  const { V, columns } = like;
  const matched = columns && source.columns ? inOrder(source, columns) : source;
  if (matched.V === V) return matched;
  throw badFile(source.name, `has ${counted(source.V, 'column')}; the training rows have ${V}`);
}

/** The options that are given. */
export function given<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

/**
 * What a model says about its next table. How cells are separated is seen in each text. Numbers that could be
 * one thing only are seen again too: bits, probabilities and signs alone. Of a wide table the names of rows
 * are not needed.
 */
function learnedSchema(schema: TableSchema | undefined): Partial<TableSchema> {
  if (!schema) return {};
  const { delimiter: _, kind: __, words: ___, idColumn, values, binarize, seed, ...rest } = schema;
  const unclear = values === 'signs' ? wasGrey(schema) : values !== 'bits' && values !== 'unit';
  return {
    ...rest,
    ...(rest.layout !== 'wide' && rest.layout && { idColumn }),
    ...(unclear && { values }),
    ...(wasGrey(schema) && { binarize, seed }),
  };
}

/** Whether there were values between the two of a bit: kept as they are, or turned into bits. */
export function wasGrey({ kind, binarize }: TableSchema): boolean {
  return kind === 'real' || binarize !== 'none';
}

/** The columns that are known by name; others are left out, missing ones are an error. */
function inOrder(source: OpenedSource, columns: readonly string[]): OpenedSource {
  if (columns.length === source.V && columns.every((name, v) => name === source.columns![v])) return source;
  refuseOthers(source.name, { columns }, source.columns!);
  return { ...source, ...selectColumns(source, columns) };
}

/**
 * Throws where a table lacks columns of the training rows, or has several of a name of which they had one. A
 * category may be there as one column of words or as those of its values.
 */
export function refuseOthers(
  file: string,
  { columns: wanted = [], groups = [] }: Pick<Alike, 'columns' | 'groups'>,
  columns: readonly string[],
  header = false,
): void {
  const found = new Set(columns);
  const group = groupOfColumn(groups, wanted.length);
  const isThere = (name: string, v: number) => found.has(name) || (group[v] && found.has(group[v].name));
  const lacking = [
    ...new Set(wanted.flatMap((name, v) => (isThere(name, v) ? [] : (group[v]?.name ?? name)))),
  ];
  if (lacking.length > 0) {
    const some = lacking.slice(0, 5).map((name) => (name === '' ? "''" : inQuotes(name)));
    const more = lacking.length > 5 ? ` and ${lacking.length - 5} more` : '';
    const advice = header && !wanted.some(isThere) ? '. Use --no-header if its first line is a row' : '';
    throw badFile(file, `lacks columns of the training rows: ${some.join(', ')}${more}${advice}`);
  }
  const names = new Set([...wanted, ...groups.map(({ name }) => name)]);
  const seen = new Set<string>();
  const twin = columns.find((name) => names.has(name) && seen.size === seen.add(name).size);
  const inWords = tableColumns(wanted, groups).map(({ name }) => name);
  const hadTwins = [wanted, inWords].some((all) => new Set(all).size < all.length);
  if (twin === undefined || hadTwins) return;
  const several = `has more than one column '${twin}', of which the training rows had one`;
  throw badFile(file, `${several}: say with --columns which ones to read, by their numbers`);
}

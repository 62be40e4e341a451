import { counted } from './counted.ts';
import type { NameList } from './names.ts';
import type { TableSchema } from './schema.ts';

/** A category spread over columns: one per value, of which a row has exactly one (or none is known). */
export interface ColumnGroup {
  readonly name: string;
  /** The first of its columns; the others follow. */
  readonly first: number;
  /** What each of its columns stands for. */
  readonly values: readonly string[];
}

/**
 * What is known about rows besides their entries. It travels with them: from a source into memory, into each
 * part of a split, and into the model that is learned from them.
 */
export interface RowsAbout {
  /** Names of the V columns. */
  readonly columns?: readonly string[];
  /** Names of the n rows. */
  readonly ids?: NameList;
  /** Groups of columns; those of a group are the values of one category. */
  readonly groups?: readonly ColumnGroup[];
  /** Height and width, if a row is a picture. */
  readonly image?: { readonly height: number; readonly width: number };
  /** How the numbers of a file or a table became these entries. */
  readonly schema?: TableSchema;
}

/**
 * What is known about rows, without their entries. `ids` are the names if only some of the rows are meant.
 */
export function aboutOf(rows: RowsAbout, ids: NameList | undefined = rows.ids): RowsAbout {
  return { ...aboutColumns(rows), ...(ids && { ids }) };
}

/** The part that is true of other rows from the same table too, which a model keeps. */
export function aboutColumns({ columns, groups, image, schema }: RowsAbout): Omit<RowsAbout, 'ids'> {
  return {
    ...(columns && { columns }),
    ...(groups && { groups }),
    ...(image && { image }),
    ...(schema && { schema }),
  };
}

/** Refuses names, groups and pictures that n rows of V columns cannot have. */
export function checkAbout(about: RowsAbout, n: number, V: number, argument = 'rows'): void {
  const { columns, ids, groups = [], image } = about;
  checkNames(columns, V, 'column', argument);
  checkNames(ids, n, 'row', argument);
  for (const { name, first, values } of groups) {
    if (first >= 0 && first + values.length <= V) continue;
    throw new RangeError(
      `${argument}.groups: '${name}' has columns ${first} to ${first + values.length - 1} of only ${V}`,
    );
  }
  if (image && image.height * image.width !== V) {
    throw new RangeError(
      `${argument}.image: ${image.height} x ${image.width} pictures have ${counted(image.height * image.width, 'entry')}, not ${V}`,
    );
  }
}

function checkNames(names: NameList | undefined, count: number, what: string, argument: string): void {
  if (names && names.length !== count) {
    throw new RangeError(`${argument}: ${names.length} ${what} names were given for ${count} ${what}s`);
  }
}

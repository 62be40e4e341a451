import { badFile } from '../../rows/errors.ts';
import type { TableSchema } from '../../rows/schema.ts';
import { isAllBut, resolveSelection, type Selection } from '../../rows/select.ts';
import type { Body } from './records.ts';

/** Decides which columns of a table are read, from the options, the schema and the model. */

type Names = readonly string[] | undefined;

/** What a model knows about the tables of its training rows. */
export interface Known {
  /** The names of the columns to read; a category is one column. */
  readonly columns?: readonly string[];
  /** Those of them that are categories. */
  readonly categories?: readonly string[];
  /** The selection that these columns were: a new table need not have what it left out. */
  readonly selection?: Selection;
  /** The column that named the rows; a new table need not have it. */
  readonly idColumn?: TableSchema['idColumn'];
}

/**
 * The column that names the rows, if there is one, and the columns to read, in order. Numbers count all
 * columns of the table, from 0. `all`: every column but the names of rows is read.
 */
export function takenColumns(body: Body): { id?: number; take: readonly number[]; all: boolean } {
  const { columns: names, rows, known } = body;
  const width = rows[0].length;
  const id = idPlace(body);
  const said = saidColumns(body);
  const chosen = said === undefined ? placesOf(known?.columns, names) : chosenColumns(said, width, names);
  const all = Array.from({ length: width }, (_, v) => v);
  return { id, take: (chosen ?? all).filter((v) => v !== id), all: chosen === undefined };
}

/**
 * The columns that somebody says to read. The selection that a model was learned with counts only where names
 * do not tell its columns.
 */
export function saidColumns({ columns: names, part, known }: Body): Selection | undefined {
  const told = names && known?.columns && isDistinct(known.columns);
  return told && part.columns === known.selection ? undefined : part.columns;
}

export function chosenColumns(selection: Selection, width: number, names: Names): number[] {
  return Array.from(resolveSelection(selection, width, 'column', names));
}

/** The number of the column that names the rows. */
export function idPlace({ name, columns, rows, part: { idColumn } }: Body): number | undefined {
  if (idColumn === undefined || idColumn === false) return undefined;
  const named = typeof idColumn === 'string' ? (columns?.indexOf(idColumn) ?? -1) : -1;
  const id = idColumn === true ? 0 : named >= 0 ? named : idColumn === '' ? -1 : Number(idColumn);
  if (Number.isInteger(id) && id >= 0 && id < rows[0].length) return id;
  throw badFile(name, `there is no column '${idColumn}' to name the rows`);
}

/** The places of the wanted columns, if the table has them all; its other columns need not be bits. */
export function placesOf(wanted: Names, columns: Names): number[] | undefined {
  if (!wanted || !columns || !isDistinct(wanted)) return undefined;
  const places = new Map(columns.map((name, v) => [name, v]));
  const found = wanted.flatMap((name) => places.get(name) ?? []);
  return found.length === wanted.length ? found : undefined;
}

function isDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

/** The columns declared to be categories; undefined if all that hold words are. */
export function categoryColumns({ columns, rows, part }: Body): ReadonlySet<number> | undefined {
  const { categorical = false } = part;
  if (categorical === true) return undefined;
  return new Set(categorical === false ? [] : chosenColumns(categorical, rows[0].length, columns));
}

/** Whether a selection refers to columns by name, and these names exist. */
export function refersToNames(
  said: Selection | number | boolean | undefined,
  names: readonly string[],
): boolean {
  if (said === undefined || typeof said === 'boolean' || typeof said === 'number') return false;
  return !fits(said, names.length, undefined) && fits(said, names.length, names);
}

/**
 * Whether a selection mentions the first column, as data or to leave it out: then it does not name the rows.
 */
export function mentionsFirst(said: Selection | boolean | undefined, names: Names, width: number): boolean {
  if (said === undefined || typeof said === 'boolean' || !fits(said, width, names)) return false;
  return chosenColumns(said, width, names).includes(0) !== (typeof said === 'string' && isAllBut(said));
}

function fits(selection: Selection, width: number, names: Names): boolean {
  try {
    return chosenColumns(selection, width, names).length > 0;
  } catch {
    return false;
  }
}

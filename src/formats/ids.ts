import { FormatError } from '../rows/errors.ts';
import { resolveSelection, type Selection } from '../rows/select.ts';
import type { OpenOptions } from './options.ts';
import type { RecordSource } from './records.ts';

/**
 * The column that names the rows, if there is one: the one that somebody asks for; the one that named the rows of a
 * model; or the first, where it `looks` like one and is nothing else: none of the columns `wanted`, none chosen.
 */
export function findIds(
  { name, columns }: RecordSource,
  width: number,
  options: OpenOptions,
  wanted: readonly string[] | undefined,
  looks: () => boolean,
): number | undefined {
  const { idColumn, idColumnIfThere } = options;
  if (idColumn === false) return undefined;
  if (idColumn === true) return 0;
  if (idColumn !== undefined) {
    const named = columns?.indexOf(String(idColumn)) ?? -1;
    const id = named >= 0 ? named : Number(idColumn);
    if (Number.isInteger(id) && id >= 0 && id < width) return id;
    throw new FormatError(name, '', `there is no column '${idColumn}' to name the rows`);
  }
  const isData = (v: number) =>
    columns !== undefined && (wanted?.includes(columns[v]) || speaksOf(options.columns, columns, v));
  const known = idColumnIfThere === undefined ? -1 : (columns?.indexOf(idColumnIfThere) ?? -1);
  if (known >= 0 && !isData(known) && columnsBeside(known, columns, width, options.columns)) return known;
  return !isData(0) && looks() ? 0 : undefined;
}

/**
 * The columns that a selection takes beside one which may name the rows. Undefined where that is not clear: numbers in a
 * selection do not count the names of rows, and would mean other columns.
 */
export function columnsBeside(
  id: number,
  names: readonly string[] | undefined,
  width: number,
  selection: Selection | undefined,
): number[] | undefined {
  const all = Array.from({ length: width }, (_, v) => v);
  const data = all.filter((v) => v !== id);
  if (selection === undefined) return data;
  const taken = (from: readonly number[]) =>
    tried(selection, names && from.map((v) => names[v]), from.length)?.map((k) => from[k]);
  const beside = taken(data);
  const same = String(taken(all)?.filter((v) => v !== id)) === String(beside);
  return same ? beside : undefined;
}

/** Whether a selection speaks of a column by its name, to take it or to leave it out. */
export function speaksOf(selection: Selection | undefined, names: readonly string[], v: number): boolean {
  if (selection === undefined || !tried(selection, names, names.length)) return false;
  const without = names.map((name, k) => (k === v ? NO_NAME : name));
  return !tried(selection, without, names.length);
}

/** No column is called so. */
const NO_NAME = '\0';

/** What a selection takes; undefined where it does not fit. */
export function tried(
  selection: Selection,
  names: readonly string[] | undefined,
  count: number,
): number[] | undefined {
  try {
    return Array.from(resolveSelection(selection, count, 'column', names));
  } catch {
    return undefined;
  }
}

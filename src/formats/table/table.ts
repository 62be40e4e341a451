import { FormatError } from '../../rows/errors.ts';
import { groupOfColumn } from '../../rows/groups.ts';
import type { TableSchema } from '../../rows/schema.ts';
import { given, refuseOthers } from '../like.ts';
import { listed, type OpenedSource, type OpenOptions } from '../options.ts';
import { expandCategories } from './categories.ts';
import { cellReader } from './cells.ts';
import type { Known } from './columns.ts';
import { describeTable, isQuestion, type TablePart } from './describe.ts';
import { holdsLists, openLines, openList } from './lists.ts';
import { openPairs } from './long.ts';
import { asked } from './question.ts';
import { columnNames, type RecordSource, type Row, takeSample, withHeader } from './records.ts';
import { openWide } from './wide.ts';

/** Opens a table of cells: what its first records leave open is an error that asks, the rest is read as described. */
export async function openRecords(source: RecordSource, options: OpenOptions): Promise<OpenedSource> {
  const { name, format, columns } = source;
  const records = await takeSample(source);
  if (records.length === 0) throw new FormatError(name, '', 'is empty');
  const known = knownOf(options);
  const described = describeTable(
    { name, records, columns, typed: format !== 'csv' },
    {
      ...saidOf(format === 'csv' ? options : { ...options, header: undefined }),
      known,
      width: options.width,
    },
  );
  if (isQuestion(described)) throw asked(name, described);
  const opened = await readTable(source, records, described, options, known);
  const { values: _, ...part } = described;
  const { delimiter } = source;
  return { ...opened, schema: { ...opened.schema, ...part, ...(delimiter !== undefined && { delimiter }) } };
}

/** Reads a table as a schema says, and no other way. */
async function readTable(
  source: RecordSource,
  records: readonly Row[],
  part: TablePart,
  options: OpenOptions,
  known: Known | undefined,
): Promise<OpenedSource> {
  const { name } = source;
  const read = cellReader(part);
  const lines = part.layout === 'items' && !source.columns;
  const names = part.header && !lines ? columnNames(name, records) : source.columns;
  const table = part.header ? withHeader(source, names) : source;
  const rows = part.header ? records.slice(1) : records;
  if (rows.length === 0) throw new FormatError(name, '', 'has names of columns but no rows');
  if (lines) return openLines(table, part, options);
  const { like } = options;
  if (holdsLists(rows, names, known)) return openList(table, rows, part, options, read);
  if (part.layout === 'items')
    throw new FormatError(name, '', 'has columns, but none that holds lists: leave --layout items out');
  if (part.layout === 'long') return openPairs(table, rows[0].length, part, options, read);
  if (like?.columns && names && part.columns === undefined) refuseOthers(name, like, names, part.header);
  if (!part.categorical && !like?.groups) return openWide(table, rows, part, options, read, { known });
  const expanded = await expandCategories(table, rows[0].length, part, options, read, known);
  const first = (await takeSample(expanded.table)).slice(0, 1);
  const wide = { ...part, columns: undefined, idColumn: expanded.id ? 0 : false };
  const opened = await openWide(expanded.table, first, wide, options, read);
  return { ...opened, groups: expanded.groups };
}

/** What options say about a table. */
function saidOf(options: OpenOptions): Partial<TableSchema> {
  const { values, layout, header, idColumn, columns, categorical, variable, ones, zeros, missing } = options;
  return given<Partial<TableSchema>>({
    ...{ values, layout, header, idColumn, categorical, variable },
    ...{ ones: listed(ones), zeros: listed(zeros), missing: listed(missing) },
    columns: columns instanceof Uint32Array ? Array.from(columns) : columns,
  });
}

/** What a model knows of the table. */
function knownOf({ like }: OpenOptions): Known | undefined {
  if (!like) return undefined;
  const { columns, groups = [], schema } = like;
  const group = columns && groupOfColumn(groups, columns.length);
  const asTable = columns?.flatMap((name, v) => {
    if (!group?.[v]) return name;
    return group[v].first === v ? group[v].name : [];
  });
  const categories = groups.map(({ name }) => name);
  return { columns: asTable, categories, idColumn: schema?.idColumn };
}

import { badFile } from '../../rows/errors.ts';
import { tableColumns } from '../../rows/groups.ts';
import { given, refuseOthers } from '../like.ts';
import { listed, type OpenedSource, type OpenOptions } from '../options.ts';
import { expandCategories } from './categories.ts';
import { type Known, saidColumns } from './columns.ts';
import { describeTable, isQuestion } from './describe.ts';
import { holdsLists, openList } from './lists.ts';
import { openItems, openPairs } from './long.ts';
import { asked } from './question.ts';
import { type RecordSource, type Table, type TablePart, takeSample, withoutFirst } from './records.ts';
import { openWide } from './wide.ts';

/** Opens a table of cells as described by its first records; if they leave something open, an error asks. */
export async function openRecords(source: RecordSource, options: OpenOptions): Promise<OpenedSource> {
  const { name, columns, delimiter } = source;
  const records = await takeSample(source);
  if (records.length === 0) throw badFile(name, 'is empty');
  const typed = source.format !== 'csv';
  const said = declaredBy(typed ? { ...options, header: undefined } : options);
  const { width } = options;
  const body = describeTable({ name, columns, records, typed }, { ...said, known: knownOf(options), width });
  if (isQuestion(body)) throw asked(name, body);
  const below = body.part.header ? withoutFirst(source) : source;
  const opened = await readTable({ ...below, ...body, options });
  const { values: _, ...part } = body.part;
  return { ...opened, schema: { ...opened.schema, ...part, ...(delimiter !== undefined && { delimiter }) } };
}

/** Reads a table exactly as its schema says. */
async function readTable(table: Table): Promise<OpenedSource> {
  const { name, columns, rows, part, options } = table;
  const { like } = options;
  if (rows.length === 0) throw badFile(name, 'has names of columns but no rows');
  if (part.layout === 'items' && !columns) return openItems(table);
  if (holdsLists(table)) return openList(table);
  if (part.layout === 'items')
    throw badFile(name, 'has columns, but none that holds lists: leave --layout items out');
  if (part.layout === 'long') return openPairs(table);
  if (like?.columns && columns && saidColumns(table) === undefined)
    refuseOthers(name, like, columns, part.header);
  if (!part.categorical && !like?.groups) return openWide(table);
  const { table: expanded, groups } = await expandCategories(table);
  return { ...(await openWide(expanded)), groups };
}

/** What the options say about a table. */
function declaredBy(options: OpenOptions): TablePart {
  const { values, layout, header, idColumn, columns, categorical, variable, ones, zeros, missing } = options;
  return given<TablePart>({
    ...{ values, layout, header, idColumn, categorical, variable },
    ...{ ones: listed(ones), zeros: listed(zeros), missing: listed(missing) },
    columns: columns instanceof Uint32Array ? Array.from(columns) : columns,
  });
}

/** What the model knows about the table. */
function knownOf({ like }: OpenOptions): Known | undefined {
  if (!like) return undefined;
  const { columns, groups = [], schema } = like;
  const asTable = columns && tableColumns(columns, groups).map(({ name }) => name);
  const categories = groups.map(({ name }) => name);
  return { columns: asTable, categories, selection: schema?.columns, idColumn: schema?.idColumn };
}

/**
 * `pc-ae/rows`: rows in memory and as sources: their entries, slices, noise and categories.
 *
 * @module pc-ae/rows
 */

export type { ColumnGroup, RowsAbout } from './rows/about.ts';
export type { Binarize } from './rows/binarize.ts';
export { type Corruption, type CorruptionKind, corrupt } from './rows/corrupt.ts';
export { categoryOf, normaliseGroups } from './rows/groups.ts';
export { asRows, asSource, type RowsInMemory, type RowsInput, readRows } from './rows/input.ts';
export { collect, memorySource } from './rows/memory.ts';
export type { NameList } from './rows/names.ts';
export type { Pictures } from './rows/pictures.ts';
export { type BitRows, entry, type RealRows, type Rows, rowBytes, sliceRows, takeRows } from './rows/rows.ts';
export type { Selection } from './rows/select.ts';
export type { RowSource } from './rows/source.ts';
export { permutation } from './rows/split.ts';
export type { NestedRows, NestedTable, Table, TableValues } from './rows/table.ts';
export type { ValueKind } from './rows/values.ts';

import { aboutOf } from './about.ts';
import { type NameList, PackedNames, sliceNames } from './names.ts';
import { type Rows, rowBytes, takeRows } from './rows.ts';
import type { RowSource } from './source.ts';

/** Chosen rows or columns: numbers from 0, or text such as `0:100,150,-10:` or `all but 3`, or names. */
export type Selection = string | readonly (number | string)[] | Uint32Array;

/**
 * The numbers that a selection stands for, each below `count`. In text, parts are separated by commas; `a:b`
 * is a range that starts with a and ends before b, either may be left out, and negative numbers count from
 * the end. Text in quotes is always a name, and may hold commas. `all but` before the parts leaves them out.
 */
export function resolveSelection(
  selection: Selection,
  count: number,
  what: 'row' | 'column',
  names?: NameList,
): Uint32Array {
  if (selection instanceof Uint32Array) return checkedNumbers(selection, count, what);
  const without = typeof selection === 'string' ? ALL_BUT.exec(selection)?.[1] : undefined;
  if (without !== undefined) {
    const left = new Set(resolveSelection(without, count, what, names));
    return checkedNumbers(
      Array.from({ length: count }, (_, i) => i).filter((i) => !left.has(i)),
      count,
      what,
    );
  }
  const parts: readonly Part[] =
    typeof selection === 'string' ? splitParts(selection) : selection.map((text) => ({ text }));
  const byName = numbersOf(new Set(parts.map(({ text }) => text)), names);
  const chosen: number[] = [];
  for (const { text: part, quoted } of parts) {
    const named = typeof part === 'string' ? byName.get(part) : undefined;
    const range = /^(-?\d+)?:(-?\d+)?$/.exec(String(part));
    if (named !== undefined) chosen.push(named);
    else if (quoted) throw new RangeError(unknown(part, what, names));
    else if (range) {
      const end = fromEnd(range[2] ?? count, count);
      for (let i = Math.max(0, fromEnd(range[1] ?? 0, count)); i < Math.min(end, count); i++) chosen.push(i);
    } else if (part !== '' && Number.isInteger(Number(part))) chosen.push(fromEnd(part, count));
    else throw new RangeError(unknown(part, what, names));
  }
  return checkedNumbers(chosen, count, what);
}

const ALL_BUT = /^\s*all but\s+(.*)$/is;

/** Whether a selection lists what to leave out. */
export function isAllBut(selection: string): boolean {
  return ALL_BUT.test(selection);
}

/** The selection of all columns but one, given by its name or number, as a user would type it. */
export function allBut(column: string | number): string {
  return `all but ${typeof column === 'string' ? inQuotes(column) : column}`;
}

/** One part of a selection in text. */
interface Part {
  readonly text: string | number;
  readonly quoted?: boolean;
}

/** The words of a text separated by commas; an empty text is one empty word. */
export function splitWords(text: string): string[] {
  return splitParts(text).map((part) => String(part.text));
}

/** The parts between the commas. Quotes work as in CSV: they may hold commas, and two stand for one. */
function splitParts(selection: string): Part[] {
  return Array.from(
    selection.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g),
    ([, name, plain]) =>
      name === undefined ? { text: plain.trim() } : { text: name.replaceAll('""', '"'), quoted: true },
  );
}

/** A name as a user has to type it in a selection. */
export function inQuotes(name: string): string {
  return /^\s|[",]|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

/** The numbers of the requested names. */
function numbersOf(asked: ReadonlySet<number | string>, names: NameList = []): Map<string, number> {
  const numbers = new Map<string, number>();
  let i = 0;
  for (const name of names) {
    if (asked.has(name)) numbers.set(name, i);
    i++;
  }
  return numbers;
}

function fromEnd(part: string | number, count: number): number {
  const i = Number(part);
  return i < 0 ? i + count : i;
}

function checkedNumbers(chosen: ArrayLike<number>, count: number, what: string): Uint32Array {
  const used = new Set<number>();
  for (const i of Array.from(chosen)) {
    if (!(i >= 0 && i < count))
      throw new RangeError(`there is no ${what} ${i}: they are numbered 0 to ${count - 1}`);
    if (used.has(i)) throw new RangeError(`${what} ${i} is chosen twice`);
    used.add(i);
  }
  if (used.size === 0) throw new RangeError(`the selection leaves no ${what}`);
  return Uint32Array.from(chosen);
}

function unknown(part: number | string, what: string, names?: NameList): string {
  if (!names)
    return `'${part}' is not a ${what}: use numbers from 0 and ranges like 0:100 (the ${what}s have no names)`;
  const some = sliceNames(names, 0, 5).map(inQuotes).join(', ');
  return `there is no ${what} '${part}'; there are ${some}${names.length > 5 ? `, … (${names.length} in all)` : ''}`;
}

/** A source of the selected rows, in the order of the file. */
export function selectRows(source: RowSource, rows: Selection): RowSource {
  const chosen = resolveSelection(rows, source.n, 'row', source.ids).sort();
  return {
    ...source,
    n: chosen.length,
    ids: source.ids && PackedNames.from(pick(source.ids, chosen), source.ids.heading),
    async *chunks(size) {
      let first = 0;
      let next = 0;
      for await (const chunk of source.chunks(size)) {
        const end = first + chunk.n;
        const from = next;
        while (next < chosen.length && chosen[next] < end) next++;
        if (next > from)
          yield takeRows(
            chunk,
            chosen.subarray(from, next).map((i) => i - first),
          );
        if (next === chosen.length) return;
        first = end;
      }
    },
  };
}

function* pick(names: NameList, chosen: Uint32Array): Generator<string> {
  for (const i of chosen) yield names.at(i)!;
}

/** A source of the selected columns, in the given order. */
export function selectColumns(source: RowSource, columns: Selection): RowSource {
  const chosen = resolveSelection(columns, source.V, 'column', source.columns);
  return {
    ...source,
    V: chosen.length,
    columns: source.columns && Array.from(chosen, (v) => source.columns![v]),
    groups: undefined,
    image: undefined,
    async *chunks(size) {
      for await (const chunk of source.chunks(size)) yield takeColumns(chunk, chosen);
    },
  };
}

/** The selected columns of rows, copied in the given order. */
export function takeColumns(rows: Rows, chosen: ArrayLike<number>): Rows {
  const { n, columns } = rows;
  const V = chosen.length;
  const named = columns && Array.from(chosen, (v) => columns[v]);
  const about = aboutOf({ ...rows, columns: named, groups: undefined, image: undefined });
  if (rows.kind === 'real') {
    const values = new Float32Array(n * V);
    for (let i = 0; i < n; i++) {
      for (let v = 0; v < V; v++) values[i * V + v] = rows.values[i * rows.V + chosen[v]];
    }
    return { ...about, kind: 'real', n, V, values };
  }
  const take = (from: Uint8Array): Uint8Array => {
    const [wide, narrow] = [rowBytes(rows.V), rowBytes(V)];
    const to = new Uint8Array(n * narrow);
    for (let i = 0; i < n; i++) {
      for (let v = 0; v < V; v++) {
        const bit = (from[i * wide + (chosen[v] >> 3)] >> (chosen[v] & 7)) & 1;
        to[i * narrow + (v >> 3)] |= bit << (v & 7);
      }
    }
    return to;
  };
  const bits = take(rows.bits);
  return { ...about, kind: 'bits', n, V, bits, ...(rows.known && { known: take(rows.known) }) };
}

/** Names in order. An array of strings is one; so is a packed list, for the names of millions of rows. */
export interface NameList extends Iterable<string> {
  readonly length: number;
  /** What the column of a table was called that held them, where there was one. */
  readonly heading?: string;
  at(index: number): string | undefined;
}

/**
 * Names that are added one by one and take what their letters take and 4 bytes each: one byte a letter where
 * all letters of a page are Latin-1, two otherwise. Pages are never copied again, so that there is no moment
 * at which two of the lists exist.
 */
export class PackedNames implements NameList {
  /** Full pages; the names that came since are in `open`, the ends of theirs in `ends`. */
  private readonly pages: Page[] = [];
  private open = new Uint16Array(1024);
  private ends = new Uint32Array(PAGE);
  private count = 0;
  readonly heading?: string;

  constructor(heading?: string) {
    this.heading = heading;
  }

  static from(names: Iterable<string>, heading?: string): PackedNames {
    const packed = new PackedNames(heading);
    for (const name of names) packed.push(name);
    return packed;
  }

  get length(): number {
    return this.pages.length * PAGE + this.count;
  }

  push(name: string): void {
    const start = this.count === 0 ? 0 : this.ends[this.count - 1];
    const end = start + name.length;
    if (end > this.open.length) {
      const wider = new Uint16Array(2 * end);
      wider.set(this.open.subarray(0, start));
      this.open = wider;
    }
    for (let k = 0; k < name.length; k++) this.open[start + k] = name.charCodeAt(k);
    this.ends[this.count++] = end;
    if (this.count === PAGE) this.turnPage(end);
  }

  at(index: number): string | undefined {
    const i = index < 0 ? index + this.length : index;
    if (!(i >= 0 && i < this.length)) return undefined;
    const page = this.pages[Math.floor(i / PAGE)] ?? { letters: this.open, ends: this.ends };
    const k = i % PAGE;
    return textOf(page.letters, k === 0 ? 0 : page.ends[k - 1], page.ends[k]);
  }

  *[Symbol.iterator](): Generator<string> {
    for (let i = 0; i < this.length; i++) yield this.at(i)!;
  }

  private turnPage(end: number): void {
    const letters = this.open.subarray(0, end);
    const narrow = letters.every((letter) => letter < 256);
    this.pages.push({ letters: narrow ? Uint8Array.from(letters) : letters.slice(), ends: this.ends });
    this.ends = new Uint32Array(PAGE);
    this.count = 0;
  }
}

/** Code units, not UTF-8: half of a surrogate pair, which JSON may hold, comes back as it was. */
interface Page {
  readonly letters: Uint8Array | Uint16Array;
  /** Where each name ends among the letters. */
  readonly ends: Uint32Array;
}

/** Names in a page. */
const PAGE = 4096;

/** Letters that are put together in one call: each is an argument. */
const STRETCH = 4096;

function textOf(letters: Uint8Array | Uint16Array, start: number, end: number): string {
  let text = '';
  for (let k = start; k < end; k += STRETCH) {
    text += String.fromCharCode(...letters.subarray(k, Math.min(end, k + STRETCH)));
  }
  return text;
}

/** The names from `start` to before `end`. */
export function sliceNames(names: NameList, start: number, end: number): string[] {
  return Array.from({ length: Math.min(end, names.length) - start }, (_, i) => names.at(start + i)!);
}

/** Some of the names: the one at place i is that at `place(i)` of all. Nothing is copied. */
export function pickNames(names: NameList, length: number, place: (i: number) => number): NameList {
  const at = (index: number) => {
    const i = index < 0 ? index + length : index;
    return i >= 0 && i < length ? names.at(place(i)) : undefined;
  };
  return {
    length,
    ...(names.heading !== undefined && { heading: names.heading }),
    at,
    *[Symbol.iterator]() {
      for (let i = 0; i < length; i++) yield at(i)!;
    },
  };
}

/** A list of names: an array of strings or, for the names of millions of rows, a packed list. */
export interface NameList extends Iterable<string> {
  readonly length: number;
  /** The heading of the table's column that held the names, if there was one. */
  readonly heading?: string;
  at(index: number): string | undefined;
}

/**
 * A packed list to which names are added one by one. A name takes 4 bytes and its letters: one byte per
 * letter if all letters of a page are Latin-1, otherwise two. Finished pages are never copied, so that the
 * list never exists twice in memory.
 */
export class PackedNames implements NameList {
  /** Full pages. The letters of later names are in `open`, and where each name ends in `ends`. */
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

/** The most letters decoded in one call, where each is an argument. */
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

/** A view of some names: the i-th is the one at `place(i)`. Nothing is copied. */
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

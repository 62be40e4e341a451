import { newCensus } from '../rows/census.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import { PackedNames } from '../rows/names.ts';
import type { TableSchema } from '../rows/schema.ts';
import { ByteReader, type ByteSource } from './bytes.ts';
import { lineBlocks } from './lines.ts';
import { openNumbers } from './numbers.ts';
import { checkShape, MAX_IDS, type OpenedSource, type OpenOptions } from './options.ts';

/**
 * PLINK: genotypes in a .bed, two bits each, variant after variant; the individuals in a .fam beside it, the
 * variants in a .bim. Rows are individuals, columns are variants. A genotype is how many of its two alleles
 * are the first one of the .bim, and `genotypes` says what an entry is made of that.
 */
export async function openPlink(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  const { name, beside } = bytes;
  const { genotypes, values } = options;
  if (!beside)
    throw badFile(
      name,
      'is a PLINK bed, which can only be read next to its .bim and .fam files: save all three, then name the .bed',
    );
  if (!genotypes) {
    throw badFile(
      name,
      'holds genotypes of 0, 1 or 2 copies of an allele. Use --genotypes dominant (1 or 2 copies are a one), ' +
        'recessive (2 are) or additive (an entry is the share of the two)',
    );
  }
  const kind = genotypes === 'additive' ? 'unit' : 'bits';
  if (values && values !== kind)
    throw badFile(name, `--genotypes ${genotypes} gives ${kind}: leave --values ${values} out`);
  const ids = await individuals(await beside('fam'), options);
  const columns = await variants(await beside('bim'), options);
  const [n, V] = [ids.length, columns.length];
  checkShape(name, n, V);
  await checkFile(bytes, n, V);
  const table = {
    ...({ name, format: 'bed', n, V, type: 'number' } as const),
    ...{ columns, ids: n <= MAX_IDS ? ids : undefined },
    census: { ...newCensus(), zero: true, one: true, fraction: true, missing: true },
    chunks: (size: number) => rowsOf(bytes, n, V, size, ENTRIES[genotypes]),
  };
  const opened = await openNumbers(table, { ...options, values: kind });
  // Its census says what there may be.
  return { ...opened, schema: { ...opened.schema, genotypes }, gaps: undefined };
}

/** The entry of each pair of bits: two copies, missing, one copy, none. */
const ENTRIES: Readonly<Record<NonNullable<TableSchema['genotypes']>, readonly number[]>> = {
  dominant: [1, Number.NaN, 1, 0],
  recessive: [1, Number.NaN, 0, 0],
  additive: [1, Number.NaN, 0.5, 0],
};

/** The words of each line, of which there must be so many at least. */
async function* wordsOf(bytes: ByteSource, options: OpenOptions, least: number): AsyncGenerator<string[]> {
  let line = 0;
  for await (const lines of lineBlocks(bytes, options)) {
    for (const text of lines) {
      line++;
      if (text.trim() === '') continue;
      const words = text.trim().split(/\s+/);
      if (words.length < least)
        throw new FormatError(
          bytes.name,
          `line ${line}`,
          `has ${words.length} words, expected ${least} at least`,
        );
      yield words;
    }
  }
}

/** Individuals by their own name, and their family's before it where that is not enough. */
async function individuals(bytes: ByteSource, options: OpenOptions): Promise<PackedNames> {
  const [alone, both, seen] = [new PackedNames(), new PackedNames(), new Set<string>()];
  for await (const [family, name] of wordsOf(bytes, options, 2)) {
    alone.push(name);
    both.push(`${family} ${name}`);
    seen.add(name);
  }
  return seen.size === alone.length ? alone : both;
}

/** Variants by their name, or by place and alleles where they have none. */
async function variants(bytes: ByteSource, options: OpenOptions): Promise<string[]> {
  const names: string[] = [];
  for await (const [chromosome, name, , position, first, second] of wordsOf(bytes, options, 6)) {
    names.push(name === '.' ? `${chromosome}:${position}:${first}:${second}` : name);
  }
  return names;
}

async function checkFile(bytes: ByteSource, n: number, V: number): Promise<void> {
  const { name, size, exact } = bytes;
  const reader = new ByteReader(bytes);
  const [a, b, order] = await reader.take(START, 'the first bytes').finally(() => reader.close());
  if (a !== 0x6c || b !== 0x1b) throw badFile(name, 'is not a PLINK bed, which begins with the bytes 6c 1b');
  if (order !== 1)
    throw new FormatError(
      name,
      'byte 2',
      'holds individual after individual; let plink write it again: --make-bed',
    );
  const expected = START + V * Math.ceil(n / 4);
  if (exact && size !== expected) {
    const counted = `${n} individuals in its .fam and ${V} variants in its .bim`;
    throw badFile(name, `has ${size} bytes; with ${counted} it should have ${expected}`);
  }
}

/** Bytes before the first genotype. */
const START = 3;
/** Genotypes held at once, four in a byte: the file is read once for each such part of its rows. */
const HELD = 2 ** 28;

/** All rows, `size` at a time. */
async function* rowsOf(
  bytes: ByteSource,
  n: number,
  V: number,
  size: number,
  entries: readonly number[],
): AsyncGenerator<Float32Array> {
  const stride = Math.ceil(n / 4);
  const width = Math.min(stride, Math.max(1, Math.floor(HELD / V)));
  for (let first = 0; first < stride; first += width) {
    const count = Math.min(width, stride - first);
    const held = await part(bytes, V, stride, first, count);
    const [start, end] = [4 * first, Math.min(n, 4 * (first + count))];
    for (let i = start; i < end; i += size) {
      yield numbersOf(held, V, count, i - start, Math.min(end, i + size) - start, entries);
    }
  }
}

/** The bytes from `first` on, `count` of them, of each variant. */
async function part(
  bytes: ByteSource,
  V: number,
  stride: number,
  first: number,
  count: number,
): Promise<Uint8Array> {
  const held = new Uint8Array(V * count);
  const reader = new ByteReader(bytes, START);
  try {
    for (let v = 0; v < V; v++) {
      const variant = await reader.take(stride, `variant ${v}`);
      held.set(variant.subarray(first, first + count), v * count);
    }
  } finally {
    await reader.close();
  }
  return held;
}

function numbersOf(
  held: Uint8Array,
  V: number,
  count: number,
  start: number,
  end: number,
  entries: readonly number[],
): Float32Array {
  const numbers = new Float32Array((end - start) * V);
  for (let i = start, at = 0; i < end; i++) {
    const [byte, shift] = [i >> 2, 2 * (i & 3)];
    for (let v = 0; v < V; v++, at++) numbers[at] = entries[(held[v * count + byte] >> shift) & 3];
  }
  return numbers;
}

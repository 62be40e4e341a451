import { breathing } from '../rows/breath.ts';
import { FormatError } from '../rows/errors.ts';
import { arrowRecords, isArrow, openArrow } from './arrow.ts';
import { isBits, openBits } from './bits.ts';
import { type ByteSource, memoryBytes, readAll, readStart, stoppable } from './bytes.ts';
import { foreignAdvice } from './foreign.ts';
import { openFps } from './fps.ts';
import { gunzip, isGzip } from './gzip.ts';
import { isIdx, openIdx } from './idx.ts';
import { openLibsvm } from './libsvm.ts';
import { openDeclared } from './like.ts';
import { isMat, openMat } from './mat.ts';
import { isMtx, openMtx } from './mtx.ts';
import { isNpy, openNpy } from './npy.ts';
import { openNpz } from './npz.ts';
import { type FormatName, MEMORY_LIMIT, type OpenedSource, type OpenOptions } from './options.ts';
import { isParquet, openParquet, parquetRecords } from './parquet.ts';
import { isPng, openPng } from './png.ts';
import { csvRecords, openCsv } from './table/csv.ts';
import { jsonlRecords, openJsonl } from './table/jsonl.ts';
import type { RecordSource } from './table/records.ts';
import { fromUtf16, isUtf16 } from './utf16.ts';
import { isZip } from './zip.ts';

/**
 * Opens a table of any known format. gzip is taken off first; then the first bytes tell the format, or else the
 * ending of the name does, or else the look of the text.
 */
export function openBytes(bytes: ByteSource, options: OpenOptions = {}): Promise<OpenedSource> {
  return openDeclared(options, (declared) => openAny(bytes, declared));
}

async function openAny(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  const { format, source } = await recognise(bytes, options);
  const { signal } = options;
  let opening = true;
  const watched = signal ? stoppable(source, signal, () => opening) : source;
  const opened = await OPENERS[format](watched, options);
  opening = false;
  return { ...opened, chunks: (size) => breathing(opened.chunks(size)) };
}

/** The cells of a table, for numbers that are no rows of bits; undefined where the format is no table of cells. */
export async function openTable(bytes: ByteSource): Promise<RecordSource | undefined> {
  const { format, source } = await recognise(bytes, {});
  return TABLES[format]?.(source, {});
}

/** The format of a file, and its bytes as the format needs them. */
async function recognise(
  bytes: ByteSource,
  options: OpenOptions,
): Promise<{ format: FormatName; source: ByteSource }> {
  const start = await readStart(bytes, 4096);
  if (start.length === 0) throw new FormatError(bytes.name, '', 'is empty');
  if (isGzip(start)) return recognise(gunzip(bytes), options);
  if (isUtf16(start)) return recognise(fromUtf16(bytes), options);
  const told = byStart(start);
  const format = options.format ?? told ?? byEnding(bytes.name) ?? byLook(start);
  const stranger = isText(start) ? undefined : foreignAdvice(start);
  if (stranger) throw new FormatError(bytes.name, '', stranger);
  if (told && told !== format)
    throw new FormatError(bytes.name, '', `starts like ${told}, not like ${format}: leave --format out`);
  if (!format)
    throw new FormatError(bytes.name, '', `is of no known format. Say --format ${FORMATS.join('|')}.`);
  if (!WHOLE.has(format) || bytes.exact) return { format, source: bytes };
  const file = await readAll(bytes, options.maxBytes ?? MEMORY_LIMIT);
  return { format, source: memoryBytes(bytes.name, file) };
}

const OPENERS: Record<FormatName, (bytes: ByteSource, options: OpenOptions) => Promise<OpenedSource>> = {
  idx: openIdx,
  npy: openNpy,
  npz: openNpz,
  csv: openCsv,
  libsvm: openLibsvm,
  mtx: openMtx,
  mat: openMat,
  parquet: openParquet,
  arrow: openArrow,
  fps: openFps,
  png: openPng,
  bits: openBits,
  jsonl: openJsonl,
};

const TABLES: { [F in FormatName]?: (bytes: ByteSource, options: OpenOptions) => Promise<RecordSource> } = {
  csv: (bytes, options) => csvRecords(bytes, options, false),
  jsonl: jsonlRecords,
  parquet: parquetRecords,
  arrow: arrowRecords,
};

export const FORMATS = Object.keys(OPENERS) as FormatName[];

/** Formats that jump about in the file: unpacked as a whole when they come compressed. */
const WHOLE = new Set<FormatName>(['npz', 'parquet']);

function byStart(start: Uint8Array): FormatName | undefined {
  if (isBits(start)) return 'bits';
  if (isNpy(start)) return 'npy';
  if (isZip(start)) return 'npz';
  if (isParquet(start)) return 'parquet';
  if (isArrow(start)) return 'arrow';
  if (isPng(start)) return 'png';
  if (isMat(start)) return 'mat';
  if (isMtx(start)) return 'mtx';
  return isIdx(start) ? 'idx' : undefined;
}

const ENDINGS: Record<string, FormatName> = {
  csv: 'csv',
  tsv: 'csv',
  tab: 'csv',
  txt: 'csv',
  data: 'csv',
  libsvm: 'libsvm',
  svm: 'libsvm',
  svmlight: 'libsvm',
  mtx: 'mtx',
  mat: 'mat',
  parquet: 'parquet',
  pq: 'parquet',
  arrow: 'arrow',
  arrows: 'arrow',
  ipc: 'arrow',
  feather: 'arrow',
  fps: 'fps',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  npy: 'npy',
  npz: 'npz',
  png: 'png',
  bits: 'bits',
  idx: 'idx',
};

/** The format that the ending of a name stands for; an ending .gz is looked through. */
export function byEnding(name: string): FormatName | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(name.replace(/\.gz$/i, ''))?.[1].toLowerCase();
  return ending === undefined ? undefined : ENDINGS[ending];
}

/** A text without a telling name: fingerprints, JSON, libsvm, or a plain table. Nothing for what is no text. */
function byLook(start: Uint8Array): FormatName | undefined {
  if (!isText(start)) return undefined;
  const text = new TextDecoder().decode(start);
  if (/^#FPS1/.test(text)) return 'fps';
  if (/^\s*[[{]/.test(text)) return 'jsonl';
  return /^\S+\s+\d+:\S+/.test(text) ? 'libsvm' : 'csv';
}

function isText(start: Uint8Array): boolean {
  return !start.some((byte) => byte < 32 && byte !== 9 && byte !== 10 && byte !== 13);
}

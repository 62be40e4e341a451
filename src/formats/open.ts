import { breathing } from '../rows/breath.ts';
import { badFile } from '../rows/errors.ts';
import { type ByteSource, memoryBytes, readAll, readStart, stoppable } from './bytes.ts';
import { gunzip } from './gzip.ts';
import { openDeclared } from './like.ts';
import { type FormatName, MEMORY_LIMIT, type OpenedSource, type OpenOptions } from './options.ts';
import { byEnding, byLook, byStart, FORMATS, isGzip, isText, isUtf16, mayBeDocument } from './recognise.ts';

/**
 * Opens a table of any known format. Gzip is unpacked first. The format is recognised by the first bytes, or
 * else by the ending of the name, or else by the text itself.
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

/** The format of a file, and its bytes as the format needs them. */
async function recognise(
  bytes: ByteSource,
  options: OpenOptions,
): Promise<{ format: FormatName; source: ByteSource }> {
  const start = await readStart(bytes, 4096);
  if (start.length === 0) throw badFile(bytes.name, 'is empty');
  if (isGzip(start)) return recognise(gunzip(bytes), options);
  if (isUtf16(start)) return recognise((await import('./utf16.ts')).fromUtf16(bytes), options);
  const recognised = byStart(start);
  const format = options.format ?? recognised ?? byEnding(bytes.name) ?? byLook(start);
  const known = isText(start) && !mayBeDocument(start);
  const stranger = known ? undefined : (await import('./foreign.ts')).foreignAdvice(start, isText(start));
  if (stranger) throw badFile(bytes.name, stranger);
  if (recognised && recognised !== format)
    throw badFile(bytes.name, `starts like ${recognised}, not like ${format}: leave out --format`);
  if (!format) throw badFile(bytes.name, `has an unknown format. Use --format ${FORMATS.join('|')}.`);
  if (!WHOLE.has(format) || bytes.exact) return { format, source: bytes };
  const file = await readAll(bytes, options.maxBytes ?? MEMORY_LIMIT);
  return { format, source: memoryBytes(bytes.name, file) };
}

/** Each loads the file of its format when a file of that format is opened. */
const OPENERS: Record<FormatName, (bytes: ByteSource, options: OpenOptions) => Promise<OpenedSource>> = {
  idx: async (bytes, options) => (await import('./idx.ts')).openIdx(bytes, options),
  npy: async (bytes, options) => (await import('./npy.ts')).openNpy(bytes, options),
  npz: async (bytes, options) => (await import('./npz.ts')).openNpz(bytes, options),
  csv: async (bytes, options) => (await import('./table/csv.ts')).openCsv(bytes, options),
  libsvm: async (bytes, options) => (await import('./libsvm.ts')).openLibsvm(bytes, options),
  mtx: async (bytes, options) => (await import('./mtx.ts')).openMtx(bytes, options),
  mat: async (bytes, options) => (await import('./mat.ts')).openMat(bytes, options),
  parquet: async (bytes, options) => (await import('./parquet.ts')).openParquet(bytes, options),
  arrow: async (bytes, options) => (await import('./arrow.ts')).openArrow(bytes, options),
  fps: async (bytes, options) => (await import('./fps.ts')).openFps(bytes, options),
  png: async (bytes, options) => (await import('./png.ts')).openPng(bytes, options),
  h5: async (bytes, options) => (await import('./h5/open.ts')).openH5(bytes, options),
  bed: async (bytes, options) => (await import('./plink.ts')).openPlink(bytes, options),
  bits: async (bytes, options) => (await import('./bits.ts')).openBits(bytes, options),
  jsonl: async (bytes, options) => (await import('./table/jsonl.ts')).openJsonl(bytes, options),
};

/** Formats that jump about in the file: unpacked as a whole when they come compressed. */
const WHOLE = new Set<FormatName>(['npz', 'parquet']);

import type { FormatName } from './options.ts';

/** Formats that tell themselves, by the bytes that their files begin with. The first that fits counts. */
const STARTS: { readonly [F in FormatName]?: (start: Uint8Array) => boolean } = {
  bits: (start) => begins(start, 'PCAEBITS'),
  npy: (start) => begins(start, '\x93NUMPY'),
  // A zip archive, with members or with none.
  npz: (start) => begins(start, 'PK') && (start[2] === 3 || start[2] === 5),
  parquet: (start) => begins(start, 'PAR1'),
  arrow: (start) => begins(start, 'ARROW1'),
  png: (start) => begins(start, '\x89PNG'),
  mat: (start) => begins(start, 'MATLAB 5.0'),
  h5: (start) => begins(start, '\x89HDF\r\n\x1a\n'),
  bed: (start) => begins(start, 'l\x1b'),
  mtx: (start) => new TextDecoder('latin1').decode(start.subarray(0, 14)).toLowerCase() === '%%matrixmarket',
  // Two zeros, a type of numbers, and how many dimensions there are.
  idx: (start) =>
    start.length >= 8 && begins(start, '\0\0') && IDX_TYPES.has(start[2]) && start[3] > 0 && start[3] < 9,
};

const IDX_TYPES = new Set([8, 9, 11, 12, 13, 14]);

function begins(start: Uint8Array, letters: string): boolean {
  for (let k = 0; k < letters.length; k++) if (start[k] !== letters.charCodeAt(k)) return false;
  return true;
}

/** Whether a file that begins with these bytes is of the format. */
export function startsLike(format: FormatName, start: Uint8Array): boolean {
  return STARTS[format]?.(start) ?? false;
}

export function byStart(start: Uint8Array): FormatName | undefined {
  return (Object.keys(STARTS) as FormatName[]).find((format) => startsLike(format, start));
}

const ENDINGS: Readonly<Record<FormatName, readonly string[]>> = {
  idx: ['idx'],
  npy: ['npy'],
  npz: ['npz'],
  csv: ['csv', 'tsv', 'tab', 'txt', 'data'],
  libsvm: ['libsvm', 'svm', 'svmlight'],
  mtx: ['mtx'],
  mat: ['mat'],
  parquet: ['parquet', 'pq'],
  arrow: ['arrow', 'arrows', 'ipc', 'feather'],
  fps: ['fps'],
  png: ['png'],
  h5: ['h5', 'h5ad', 'hdf5'],
  bed: ['bed'],
  bits: ['bits'],
  jsonl: ['jsonl', 'ndjson'],
};

export const FORMATS = Object.keys(ENDINGS) as FormatName[];

/** The format that the ending of a name stands for; an ending .gz is looked through. */
export function byEnding(name: string): FormatName | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(name.replace(/\.gz$/i, ''))?.[1].toLowerCase();
  return ending === undefined ? undefined : FORMATS.find((format) => ENDINGS[format].includes(ending));
}

/**
 * A text without a telling name: fingerprints, JSON, libsvm, or a plain table. Nothing for what is no text.
 */
export function byLook(start: Uint8Array): FormatName | undefined {
  if (!isText(start)) return undefined;
  const text = new TextDecoder().decode(start);
  if (/^#FPS1/.test(text)) return 'fps';
  if (/^\s*[[{]/.test(text)) return 'jsonl';
  return /^\S+\s+\d+:\S+/.test(text) ? 'libsvm' : 'csv';
}

export function isGzip(start: Uint8Array): boolean {
  return begins(start, '\x1f\x8b');
}

/** Whether a byte order mark says that a file is text in UTF-16, as spreadsheets save it. */
export function isUtf16(start: Uint8Array): boolean {
  return begins(start, '\xff\xfe') || begins(start, '\xfe\xff');
}

/** Whether a text may be a document, PDF or markup, and no table. */
export function mayBeDocument(start: Uint8Array): boolean {
  return /^\s*[%<]/.test(new TextDecoder().decode(start.subarray(0, 100)));
}

export function isText(start: Uint8Array): boolean {
  return !start.some((byte) => byte < 32 && byte !== 9 && byte !== 10 && byte !== 13);
}

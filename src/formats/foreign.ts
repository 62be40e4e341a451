const SHEET = 'Save the sheet as CSV (UTF-8)';

export const SHEET_ADVICE = `is a spreadsheet, which is not read. ${SHEET}.`;

/** Files that people come with and that are not read: their first bytes, what they are, and what to do. */
const FOREIGN: readonly [start: string, what: string, advice: string][] = [
  ['FEA1', 'Feather of version 1', 'Save it as Parquet, or as Feather of version 2 without compression'],
  ['\xd0\xcf\x11\xe0', 'a spreadsheet or another office document', SHEET],
  ['PCAEPACK', 'compressed by pcae compress', 'Unpack it: pcae convert FILE rows.bits'],
  ['\xff\xd8\xff', 'a JPEG picture', 'Save pictures as PNG'],
  [
    'SQLite format 3\0',
    'a database of SQLite',
    'Write a table of it: sqlite3 -csv -header FILE "SELECT ..." > rows.csv',
  ],
  ['BZh', 'compressed with bzip2', 'Unpack it, or compress it with gzip'],
  ['\xfd7zXZ', 'compressed with xz', 'Unpack it, or compress it with gzip'],
  ['\x28\xb5\x2f\xfd', 'compressed with Zstandard', 'Unpack it, or compress it with gzip'],
];

/** The same for documents, which are text as tables are. */
const DOCUMENTS: readonly [start: RegExp, what: string, advice: string][] = [
  [/^%PDF-/, 'a PDF document', 'Save its table as CSV (UTF-8)'],
  [
    /^\s*<(!doctype )?html/i,
    'a web page',
    'If it should be a table, look at it in a browser: it may ask you to sign in',
  ],
  [/^\s*<\?xml/i, 'a document in XML', 'Save its table as CSV (UTF-8)'],
];

/**
 * What to say of a file that begins like this, where it is a known stranger. In a text, letters that other
 * formats begin with may be the name of a column.
 */
export function foreignAdvice(start: Uint8Array, isText: boolean): string | undefined {
  const text = new TextDecoder().decode(start.subarray(0, 100));
  const document = DOCUMENTS.find(([begins]) => begins.test(text));
  if (document) return advise(document);
  if (isText) return undefined;
  if (isTensors(start)) return TENSORS_ADVICE;
  const begins = (letters: string) => Array.from(letters).every((x, k) => start[k] === x.charCodeAt(0));
  const found = FOREIGN.find(([letters]) => begins(letters));
  return found && advise(found);
}

function advise([, what, advice]: readonly [unknown, string, string]): string {
  return `is ${what}, which is not read. ${advice}.`;
}

const TENSORS_ADVICE =
  'is a safetensors file, such as a model, which is not read as rows. Name a table here, or save tensors that hold rows as .npy.';

/** The length of a header of less than 4 GiB, and the brace that the header begins with. */
function isTensors(start: Uint8Array): boolean {
  return start.subarray(4, 8).every((byte) => byte === 0) && start[8] === '{'.charCodeAt(0);
}

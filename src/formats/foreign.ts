const SHEET = 'Save the sheet as CSV (UTF-8)';

export const SHEET_ADVICE = `is a spreadsheet, which is not read. ${SHEET}.`;

/** Files that people come with and that are not read: their first bytes, what they are, and what to do. */
const FOREIGN: readonly [start: string, what: string, advice: string][] = [
  ['FEA1', 'Feather of version 1', 'Save it as Parquet, or as Feather of version 2 without compression'],
  ['\xd0\xcf\x11\xe0', 'a spreadsheet or another office document', SHEET],
  ['PCAEPACK', 'compressed by pcae compress', 'Unpack it: pcae convert FILE rows.bits'],
  ['%PDF-', 'a PDF document', 'Save its table as CSV (UTF-8)'],
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

/** What to say of a file that begins like this, where it is a known stranger. */
export function foreignAdvice(start: Uint8Array): string | undefined {
  if (isTensors(start)) return TENSORS_ADVICE;
  const begins = (text: string) => Array.from(text).every((letter, k) => start[k] === letter.charCodeAt(0));
  const found = FOREIGN.find(([text]) => begins(text));
  return found && `is ${found[1]}, which is not read. ${found[2]}.`;
}

const TENSORS_ADVICE =
  'is a safetensors file, such as a model, which is not read as rows. Name a table here, or save tensors that hold rows as .npy.';

/** The length of a header of less than 4 GiB, and the brace that the header begins with. */
function isTensors(start: Uint8Array): boolean {
  return start.subarray(4, 8).every((byte) => byte === 0) && start[8] === '{'.charCodeAt(0);
}

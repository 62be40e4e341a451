const SHEET = 'Save the sheet as CSV (UTF-8)';

export const SHEET_ADVICE = `is a spreadsheet, which is not read. ${SHEET}.`;

/** Files that people come with and that are not read: their first bytes, what they are, and what to do. */
const FOREIGN: readonly [start: string, what: string, advice: string][] = [
  ['FEA1', 'Feather of version 1', 'Save it as Parquet, or as Feather of version 2 without compression'],
  ['\xd0\xcf\x11\xe0', 'a spreadsheet or another office document', SHEET],
  ['PCAEPACK', 'compressed by pcae compress', 'Unpack it: pcae convert FILE rows.bits'],
  ['BZh', 'compressed with bzip2', 'Unpack it, or compress it with gzip'],
  ['\xfd7zXZ', 'compressed with xz', 'Unpack it, or compress it with gzip'],
  ['\x28\xb5\x2f\xfd', 'compressed with Zstandard', 'Unpack it, or compress it with gzip'],
];

/** What to say of a file that begins like this, where it is a known stranger. */
export function foreignAdvice(start: Uint8Array): string | undefined {
  const begins = (text: string) => Array.from(text).every((letter, k) => start[k] === letter.charCodeAt(0));
  const found = FOREIGN.find(([text]) => begins(text));
  return found && `is ${found[1]}, which is not read. ${found[2]}.`;
}

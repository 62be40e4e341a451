import { readFile } from 'node:fs/promises';
import { FormatError } from 'pc-ae';
import { writeAtomic } from 'pc-ae/node';

/** Writes a file anew with other text between two of its markers. */
export async function fillMarked(file: string, name: string, inside: string): Promise<void> {
  const text = replaceMarked(await readFile(file, 'utf8'), name, inside, file);
  await writeAtomic(file, [text], { force: true });
}

/** Puts a text between `<!-- name -->` and `<!-- /name -->`, in the place of what is there. */
export function replaceMarked(text: string, name: string, inside: string, file: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new FormatError(file, '', `has no place marked by ${start} and ${end}`);
  return `${text.slice(0, from + start.length)}\n${inside.trim()}\n${text.slice(to)}`;
}

/**
 * Characters that could command a terminal: control characters and marks that change the direction of
 * writing. Cells and names of a file may hold anything.
 */
export const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * The text on one line, with every such character shown as its number: \x1b for an escape, \n for a line
 * break.
 */
export function printable(text: string): string {
  return text.replace(CONTROL, (found) => {
    if (found === '\n') return '\\n';
    const code = found.charCodeAt(0);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

import { CONTROL, printable } from '../rows/printable.ts';
import type { World } from './io.ts';

/** Text without control characters other than line breaks. */
export function visible(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** One line of JSON with control characters escaped. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(
    CONTROL,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The world of every command, in which only `control` sends control characters to a terminal. */
export function guarded(io: World): World {
  const decoder = new TextDecoder();
  const shown = (data: string | Uint8Array) =>
    visible(typeof data === 'string' ? data : decoder.decode(data, { stream: true }));
  return {
    ...io,
    err: (text) => io.err(visible(text)),
    // Rows for a file or another program are not changed.
    out: io.outTerminal ? (data) => io.out(shown(data)) : io.out,
  };
}

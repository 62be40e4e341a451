import { CONTROL, printable } from '../rows/printable.ts';
import type { World } from './io.ts';

/** Text for people: of all control characters only the line break stays one. */
export function visible(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** One line of JSON. Control characters are escaped in it, and come back when it is read. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(
    CONTROL,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same world, in which only `control` sends control characters to a terminal. Every command runs in it. */
export function guarded(io: World): World {
  const decoder = new TextDecoder();
  const shown = (data: string | Uint8Array) =>
    visible(typeof data === 'string' ? data : decoder.decode(data, { stream: true }));
  return {
    ...io,
    err: (text) => io.err(visible(text)),
    // Rows that go to a file or to another program stay as they are.
    out: io.outTerminal ? (data) => io.out(shown(data)) : io.out,
  };
}

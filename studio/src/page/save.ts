import type { Taken } from '../work/desk/calls.ts';

/** Hands a file to the browser, which puts it where downloads go. */
export function save({ name, blob }: Taken): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

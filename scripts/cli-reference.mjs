/** Writes docs/cli.md from the commands as they were built to dist. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { reference } from '../dist/cli/reference.js';
import { createProgram } from '../dist/cli/run.js';

const silent = {
  out: async () => {},
  err: () => {},
  control: () => {},
  terminal: false,
  outTerminal: false,
  ownProcess: false,
  width: 100,
  color: false,
  signal: new AbortController().signal,
};
await writeFile(
  fileURLToPath(new URL('../docs/cli.md', import.meta.url)),
  reference(await createProgram(silent)),
);

#!/usr/bin/env node
import { limitAdvice } from './limits.ts';

try {
  // Loaded one after the other, because some systems allow only few open files at once.
  const { processIo } = await import('./io.ts');
  const io = processIo();
  const { run } = await import('./run.ts');
  process.exitCode = await run(process.argv.slice(2), io);
} catch (error) {
  process.stderr.write(`error: ${limitAdvice(error) ?? (error as Error).stack}\n`);
  process.exitCode = 1;
}

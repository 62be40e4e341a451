import type { Environment } from './addresses.ts';

/** What a command has to do with the world besides files. Tests give one of their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

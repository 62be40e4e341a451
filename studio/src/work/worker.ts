import type { Alive, Doers } from './protocol.ts';
import { serve } from './serve.ts';

/** Every worker of the studio starts here; its name says what it is for. Both share their code's files. */
const roles: Readonly<Record<string, () => Promise<Doers<unknown>>>> = {
  desk: async () => (await import('./desk/desk.ts')).desk as Doers<unknown>,
  run: async () => (await import('./run/run.ts')).run as Doers<unknown>,
};

serve(roles[self.name.split(' ')[0]]());

// Held until the worker ends, however it does. Browsers tell nobody when they kill one.
void navigator.locks?.request(self.name, () => {
  self.postMessage({ alive: true } satisfies Alive);
  return new Promise(() => undefined);
});

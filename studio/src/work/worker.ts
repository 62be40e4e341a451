import { desk } from './desk/desk.ts';
import type { Alive, Doers } from './protocol.ts';
import { run } from './run/run.ts';
import { serve } from './serve.ts';

/** Every worker of the studio starts here; its name says what it is for. One file loads faster than many. */
const roles: Readonly<Record<string, Doers<unknown>>> = {
  desk: desk as Doers<unknown>,
  run: run as Doers<unknown>,
};

serve(roles[self.name.split(' ')[0]]);

// Held until the worker ends, however it does. Browsers tell nobody when they kill one.
void navigator.locks?.request(self.name, () => {
  self.postMessage({ alive: true } satisfies Alive);
  return new Promise(() => undefined);
});

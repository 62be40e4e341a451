import type { DeskCalls } from '../work/desk/calls.ts';
import { takeDesk } from './ahead.ts';
import type { Client } from './client.ts';
import { notices } from './notices.svelte.ts';
import { studio } from './studio.svelte.ts';

/**
 * The page's end of the worker that holds rows and models. A desk that dies is replaced, and gets everything
 * again.
 */
class Desk {
  /** What the desk is busy with, in words. */
  busy = $state('');
  #client = $state.raw(this.#start());

  readonly ask: Client<DeskCalls>['ask'] = (call, given, options) => this.#client.ask(call, given, options);

  #start(): Client<DeskCalls> {
    const client = takeDesk();
    client.onDeath = () => void this.#replace();
    return client;
  }

  async #replace(): Promise<void> {
    const next = this.#start();
    for (const { id } of studio.sets) {
      const origin = studio.origins.get(id);
      if (origin) await notices.trying(() => next.ask('open', { id, origin }));
    }
    for (const { id, name, bytes } of studio.runs)
      if (bytes) await notices.trying(() => next.ask('adopt', { id, name, bytes }));
    this.#client = next;
    notices.say(
      'problem',
      'The worker that holds your rows stopped, perhaps because memory ran out. It was started again; your models are safe.',
    );
  }
}

export const desk = new Desk();

import type { GpuAdapter } from 'pc-ae/engine';
import { isolated, usualThreads } from './ahead.ts';
import { desk } from './desk.svelte.ts';

/** What this computer has to learn with, and what of it is to be used. */
class Machine {
  /** Whether the page may have threads. */
  readonly isolated = isolated;
  threads = $state(usualThreads);
  /** The graphics card; undefined where there is none, or nobody has looked yet. */
  gpu = $state.raw<GpuAdapter | undefined>();
  #looked = false;

  /** Looks for a graphics card, once. */
  async look(): Promise<void> {
    if (this.#looked) return;
    this.#looked = true;
    this.gpu = await desk.ask('gpu', null).catch(() => undefined);
  }
}

export const machine = new Machine();

import type { Dispatcher, Dispatching, Kernel, Slab } from './dispatcher.ts';
import type { Buffer } from './webgpu.ts';

/**
 * Takes commands as the dispatcher does, but only has the programs compiled that these commands will need.
 * Nothing else is done, and all that is read is 0.
 */
export class Rehearsal implements Dispatching {
  readonly open: Dispatcher['open'];
  readonly #stage: Dispatching;
  #ids = 0;

  constructor(stage: Dispatching) {
    this.#stage = stage;
    this.open = stage.open;
  }

  prepare(kernel: Parameters<Dispatcher['prepare']>[0]): void {
    this.#stage.prepare(kernel);
  }

  run(kernel: Kernel<never, never>, groups: number | readonly [number, number]): void {
    if ([groups].flat().every((count) => count > 0)) this.#stage.prepare(kernel);
  }

  slab(bytes: number): Slab {
    return { id: --this.#ids, buffer: NONE, bytes: Math.max(16, Math.ceil(bytes / 16) * 16) };
  }

  async read(_slab: Slab, _offset: number, bytes: number): Promise<ArrayBuffer> {
    this.open.check();
    return new ArrayBuffer(bytes);
  }

  write(): void {}
  copy(): void {}
  clear(): void {}
  flush(): void {}
  free(): void {}
}

const NONE = {} as Buffer;

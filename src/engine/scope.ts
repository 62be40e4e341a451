import { defaultEngine } from './default.ts';
import type { Engine } from './engine.ts';

/**
 * Runs `work` on the engine that was given, or on the default one, and then gives back what of the engine's memory it
 * left behind. Work that ends well frees what it made; work that fails half-way cannot, and the engine lives on. All work
 * that takes a signal runs like this: once that aborts, the next operation, or the one under way, rejects with its reason.
 */
export async function withEngine<T>(
  given: Engine | undefined,
  work: (engine: Engine) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted();
  const { engine, release } = scopeOf(given ?? (await defaultEngine()), signal);
  try {
    return await work(engine);
  } finally {
    release();
  }
}

/** The same engine, but it knows what was made through it. Call `release` in a `finally`. */
export function scopeOf(given: Engine, signal?: AbortSignal): { readonly engine: Engine; release(): void } {
  const live = new Set<{ free(): void }>();
  const watched = <T extends { free(): void }>(made: T): T => {
    const free = made.free.bind(made);
    made.free = () => {
      live.delete(made);
      free();
    };
    live.add(made);
    return made;
  };
  const scoped = (engine: Engine): Engine => {
    const own: Pick<Engine, 'floats' | 'load' | 'until'> = {
      floats: (length) => watched(engine.floats(length)),
      load: (rows) => watched(engine.load(rows)),
      until: (other) => scoped(engine.until(other)),
    };
    return new Proxy(engine, {
      get(target, name) {
        if (name === 'floats' || name === 'load' || name === 'until') return own[name];
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  return {
    engine: scoped(signal ? given.until(signal) : given),
    release() {
      for (const left of live) left.free();
    },
  };
}

import { defaultEngine } from './default.ts';
import type { Engine } from './engine.ts';

/**
 * Runs `work` on the given engine, or on the default one, and then frees all memory of the engine that it
 * left behind, which work that failed half-way could not free itself. Every call that takes a signal runs
 * like this: once the signal aborts, the present or the next operation rejects with its reason.
 */
export async function withEngine<T>(where: Where, work: (engine: Engine) => Promise<T>): Promise<T> {
  const { engine, release } = await enter(where);
  try {
    return await work(engine);
  } finally {
    release();
  }
}

/** The engine to work on, and the signal that may end the work. */
export interface Where {
  /** Default: one that all calls share. */
  readonly engine?: Engine;
  /** Ends the call early: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Like `withEngine`, for work that is not one function. Call `release` in a `finally`. */
export async function enter({ engine, signal }: Where): Promise<Scope> {
  signal?.throwIfAborted();
  return scopeOf(engine ?? (await defaultEngine()), signal);
}

interface Scope {
  readonly engine: Engine;
  /** The engine below the scope. */
  readonly base: Engine;
  release(): void;
}

/** The same engine, which keeps track of everything made through it. */
export function scopeOf(given: Engine, signal?: AbortSignal): Scope {
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
    const own: Pick<Engine, 'floats' | 'running' | 'load' | 'blank' | 'until'> = {
      floats: (length) => watched(engine.floats(length)),
      running: (length) => watched(engine.running(length)),
      load: (rows) => watched(engine.load(rows)),
      blank: engine.blank && ((n, V) => watched(engine.blank!(n, V))),
      until: (other) => scoped(engine.until(other)),
    };
    return new Proxy(engine, {
      get(target, name) {
        if (Object.hasOwn(own, name)) return own[name as keyof typeof own];
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  return {
    base: given,
    engine: scoped(signal ? given.until(signal) : given),
    release() {
      for (const left of live) left.free();
    },
  };
}

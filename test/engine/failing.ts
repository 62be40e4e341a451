import type { Engine } from '../../src/engine/engine.ts';
import type { Rows } from '../../src/rows/rows.ts';

type Freeable = { free(): void };

/**
 * The engine, with its live memory counted and one of its operations failing, or doing something else first:
 * the one that `failAt` says, counted from 1, those that make memory counted too. Numbers and rows are live
 * from `floats` and `load` to `free`.
 */
export interface FailingEngine extends Engine {
  /** Numbers and rows that were not given back yet. */
  readonly live: ReadonlySet<Freeable>;
  /** The operations called so far, by name. */
  readonly called: readonly string[];
}

/** What the failing operation throws. */
export class InjectedFailure extends Error {}

export function failingEngine(
  engine: Engine,
  failAt = Number.POSITIVE_INFINITY,
  fail: (name: string) => void = (name) => {
    throw new InjectedFailure(`${name}, operation ${failAt}`);
  },
): FailingEngine {
  const live = new Set<Freeable>();
  const called: string[] = [];
  const tracked = <T extends Freeable>(made: T): T => {
    live.add(made);
    const free = made.free.bind(made);
    made.free = () => {
      live.delete(made);
      free();
    };
    return made;
  };
  const operate = (name: string, operation: (...given: unknown[]) => unknown) => {
    return (...given: unknown[]) => {
      if (called.push(name) === failAt) fail(name);
      return operation(...given);
    };
  };
  const failing = (of: Engine): Engine => {
    const own: Record<string, unknown> = {
      ...{ live, called },
      floats: operate('floats', (length) => tracked(of.floats(length as number))),
      load: operate('load', (rows) => tracked(of.load(rows as Rows))),
      until: (signal: AbortSignal) => failing(of.until(signal)),
      close: async () => {},
    };
    return new Proxy(of, {
      get(_, name: string) {
        if (name in own) return own[name];
        const found = Reflect.get(of, name, of);
        return typeof found === 'function' ? operate(name, found.bind(of)) : found;
      },
    });
  };
  return failing(engine) as FailingEngine;
}

/**
 * Where `work` leaves an engine's memory behind: when it succeeds, and when its first, second, ... operation
 * fails, at most `points` of them spread over all. Nothing anywhere is what is asked for: `expect(await
 * leaks(...)).toEqual([])`.
 */
export async function leaks(
  engine: Engine,
  work: (engine: Engine) => Promise<unknown>,
  points = 40,
): Promise<string[]> {
  const found: string[] = [];
  const attempt = async (failAt?: number) => {
    const tried = failingEngine(engine, failAt);
    let end = 'success';
    try {
      await work(tried);
    } catch (error) {
      if (!(error instanceof InjectedFailure)) throw error;
      end = error.message;
    }
    if (tried.live.size > 0) found.push(`${end}: ${tried.live.size} left`);
    return tried.called.length;
  };
  const total = await attempt();
  const step = Math.max(1, total / points);
  for (let at = 1; at <= total; at += step) await attempt(Math.floor(at));
  return found;
}

import type { Engine } from './engine.ts';

/** Makes the engine for calls that name none; loaded on first use, because other calls do not need it. */
let make: () => Promise<Engine> = async () => (await import('./wasm/engine.ts')).createWasmEngine();
let engine: Promise<Engine> | undefined;

/**
 * The engine of all calls that name none: created at the first such call, then kept. It is created again if
 * the first attempt failed, or if it was closed or has died.
 */
export async function defaultEngine(): Promise<Engine> {
  const kept = engine;
  const usable = await kept?.then(
    (made) => made.usable,
    () => false,
  );
  // Other calls may notice the same at the same time; the first of them makes the new engine.
  if (!usable && engine === kept) engine = undefined;
  engine ??= make();
  return engine;
}

/**
 * Changes how the default engine is created from now on (with Node's threads, say); an existing one is kept.
 */
export function setDefaultEngine(factory: () => Promise<Engine>): void {
  make = factory;
}

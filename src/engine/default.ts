import type { Engine } from './engine.ts';

/** Makes the engine that is used when none is given. It is loaded then: who brings another does not need it. */
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
  // Others may have seen the same in the meantime: the first makes the new one.
  if (!usable && engine === kept) engine = undefined;
  engine ??= make();
  return engine;
}

/** Changes how the default engine is created from now on (with Node's threads, say); an existing one is kept. */
export function setDefaultEngine(factory: () => Promise<Engine>): void {
  make = factory;
}

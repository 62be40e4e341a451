import type { Engine } from './engine.ts';
import { createWasmEngine } from './wasm/engine.ts';

/** Makes the engine that is used when none is given. */
let make: () => Promise<Engine> = () => createWasmEngine();
let engine: Promise<Engine> | undefined;

/**
 * The engine of all calls that name none: made at the first of them, then kept. Another is made after one that could
 * not be made, was closed or has died.
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

/** Has the default engine made in another way from now on (with Node's threads, say); one made before is kept. */
export function setDefaultEngine(factory: () => Promise<Engine>): void {
  make = factory;
}

import type { Engine } from './engine.ts';
import { createWasmEngine } from './wasm/engine.ts';

/** Makes the engine that is used when none is given. */
let make: () => Promise<Engine> = () => createWasmEngine();
let engine: Promise<Engine> | undefined;

/** The engine of all calls that name none: made at the first of them, then kept. */
export function defaultEngine(): Promise<Engine> {
  engine ??= make();
  return engine;
}

/** Has the default engine made in another way from now on (with Node's threads, say); one made before is kept. */
export function setDefaultEngine(factory: () => Promise<Engine>): void {
  make = factory;
}

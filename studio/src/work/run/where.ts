import type { Engine, Loss } from 'pc-ae';
import { paysOnGpu, suitsGpu } from 'pc-ae/engine';
import type { Rows } from 'pc-ae/rows';
import { threadsEngine } from '../engine.ts';
import type { LearnSettings } from './calls.ts';

let started: Promise<Engine> | undefined;

/** The threads of this worker, which are started once. */
export function startThreads(threads: number): Promise<Engine> {
  started ??= threadsEngine(threads);
  return started;
}

/**
 * The engine of a run. By itself it takes the graphics card where there is a real one, the card does all that
 * is asked for, and the rows are enough to be worth its start; it never takes a program that pretends to be
 * one.
 */
export async function engineFor(
  rows: Rows,
  settings: LearnSettings,
  loss: Loss,
  threads: number,
): Promise<Engine> {
  if (!(await isForGpu(rows, settings, loss))) return startThreads(threads);
  const { createGpuEngine } = await import('../gpu.ts');
  return createGpuEngine({ processor: () => startThreads(threads) });
}

async function isForGpu({ n, V }: Rows, settings: LearnSettings, loss: Loss): Promise<boolean> {
  const { engine, encoding, H } = settings;
  const suits = suitsGpu(encoding, loss);
  if (engine === 'gpu') {
    if (suits) return true;
    throw new Error(
      `The GPU learns codes of bits or of numbers (between −1 and 1, or without limits), by cross-entropy or by wrong bits; found ${encoding} ` +
        `with ${loss.name}. Choose threads.`,
    );
  }
  if (engine === 'wasm' || !suits || !paysOnGpu(n * V * H) || !('gpu' in navigator)) return false;
  const { findGpu } = await import('../gpu.ts');
  return (await findGpu({ codes: { encoding, H } }))?.software === false;
}

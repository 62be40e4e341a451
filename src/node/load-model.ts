import type { LoadAs, LoadOptions } from '../model/load.ts';
import type { PCAE } from '../model/model.ts';
import type { Stack } from '../model/stack.ts';
import { readBytes } from './read-bytes.ts';

type Options = Pick<LoadOptions, 'losses'>;

/** Reads a model from a file: a model of one layer, or a stack. */
export function loadModel(path: string, options?: Options): Promise<PCAE | Stack>;
export function loadModel<M extends PCAE | Stack>(path: string, options: Options & LoadAs<M>): Promise<M>;
export async function loadModel(
  path: string,
  options: Options & Partial<LoadAs<PCAE | Stack>> = {},
): Promise<PCAE | Stack> {
  const { load } = await import('../model/load.ts');
  return load(await readBytes(path), { ...options, name: path });
}

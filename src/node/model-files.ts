import { writeAtomic } from '../formats/node/atomic.ts';
import type { Loss } from '../losses/loss.ts';
import { PCAE } from '../model/model.ts';
import { readBytes } from './read-bytes.ts';

/** Writes a model to a safetensors file, which appears whole or not at all. */
export async function saveModel(
  path: string,
  model: PCAE,
  options: { readonly force?: boolean } = {},
): Promise<void> {
  await writeAtomic(path, [model.save()], options);
}

/** The model in a file; `losses` are the user-made losses that it may name. */
export async function loadModel(
  path: string,
  options: { readonly losses?: readonly Loss[] } = {},
): Promise<PCAE> {
  return PCAE.load(await readBytes(path), { ...options, name: path });
}

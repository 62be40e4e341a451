import { writeAtomic } from '../formats/node/atomic.ts';
import type { Loss } from '../losses/loss.ts';
import { type Autoencoder, loadAutoencoder } from '../model/autoencoder.ts';
import { PCAE } from '../model/model.ts';
import type { Stack } from '../model/stack.ts';
import { readBytes } from './read-bytes.ts';

/** Writes a model or a stack to a safetensors file, which appears whole or not at all. */
export async function saveModel(
  path: string,
  model: Autoencoder,
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

/** The same of a file that may hold a stack of layers as well. */
export async function openAutoencoder(
  path: string,
  options: { readonly losses?: readonly Loss[] } = {},
): Promise<PCAE | Stack> {
  return loadAutoencoder(await readBytes(path), { ...options, name: path });
}

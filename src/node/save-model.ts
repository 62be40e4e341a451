import { writeAtomic } from '../formats/node/atomic.ts';
import type { Autoencoder } from '../model/autoencoder.ts';

/** Writes a model or a stack to a safetensors file, which appears whole or not at all. */
export async function saveModel(
  path: string,
  model: Autoencoder,
  options: { readonly force?: boolean } = {},
): Promise<void> {
  if (typeof path !== 'string' || typeof model?.save !== 'function')
    throw new TypeError(
      "saveModel: expected a path and a model, as in saveModel('model.safetensors', model)",
    );
  await writeAtomic(path, [model.save()], options);
}

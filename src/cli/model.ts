import { safetensorsMetadata } from '../formats/safetensors.ts';
import type { PCAE } from '../model/model.ts';
import { Stack } from '../model/stack.ts';
import { loadModel } from '../node/load-model.ts';
import { readBytes } from '../node/read-bytes.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import type { VectorCodes } from '../vectors/codes.ts';

/** Opens the model or stack in a file. */
export function openAnyModel(path: string): Promise<PCAE | Stack> {
  return loadModel(path).catch((error: unknown) => {
    // If even the first bytes are wrong, it is another kind of file.
    if (!(error instanceof FormatError) || error.place !== 'byte 0') throw error;
    throw badFile(path, 'is not a model file: expected a .safetensors file written by pcae train');
  });
}

/** The same for commands that do not support stacks. */
export async function openModel(path: string): Promise<PCAE> {
  const model = await openAnyModel(path);
  if (!(model instanceof Stack)) return model;
  throw badFile(
    path,
    'holds a stack of layers, and this command is for models of one layer (only those make promises); eval, ' +
      'encode, decode, reconstruct and inspect take stacks too',
  );
}

/**
 * The codes of vectors in a file; undefined if it holds something else, which the caller opens or refuses.
 */
export async function vectorCodesIn(path: string): Promise<VectorCodes | undefined> {
  const { holdsVectorCodes, loadVectorCodes } = await import('../vectors/file.ts');
  let bytes: Uint8Array;
  try {
    bytes = await readBytes(path);
    if (!holdsVectorCodes(safetensorsMetadata(bytes, path))) return undefined;
  } catch {
    return undefined;
  }
  return loadVectorCodes(bytes, path);
}

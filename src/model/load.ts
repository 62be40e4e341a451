import { safetensorsMetadata } from '../formats/safetensors.ts';
import type { Loss } from '../losses/loss.ts';
import { badFile } from '../rows/errors.ts';
import { parseMetadata } from './file/metadata.ts';
import { readModel } from './file/read.ts';
import { readStack, STACK_FORMAT } from './file/stack.ts';
import { PCAE } from './model.ts';
import { Stack } from './stack.ts';

export interface LoadOptions {
  /** Custom losses that the file may name. */
  readonly losses?: readonly Loss[];
  /** The name of the file in error messages. */
  readonly name?: string;
}

/** The expected class, `PCAE` or `Stack`; a file that holds the other one is refused. */
export interface LoadAs<M extends PCAE | Stack> {
  readonly as: new (parts: never) => M;
}

/** Reads a model from the bytes of a file: a model of one layer, or a stack. */
export function load(bytes: Uint8Array, options?: LoadOptions): PCAE | Stack;
export function load<M extends PCAE | Stack>(bytes: Uint8Array, options: LoadOptions & LoadAs<M>): M;
export function load(
  bytes: Uint8Array,
  options: LoadOptions & Partial<LoadAs<PCAE | Stack>> = {},
): PCAE | Stack {
  const { name = 'model', losses, as } = options;
  if (!ArrayBuffer.isView(bytes)) {
    throw new TypeError(
      `load: expected the bytes of a file (a Uint8Array), found ${typeof bytes}; loadModel of pc-ae/node opens a file by its name`,
    );
  }
  const { format } = parseMetadata(safetensorsMetadata(bytes, name), name);
  if (format === 'pc-ae-vectors') {
    throw badFile(
      name,
      'holds codes of vectors; index, search, encode and inspect take them (loadVectorCodes)',
    );
  }
  const kind = format === STACK_FORMAT ? Stack : PCAE;
  if (as !== undefined && as !== kind) {
    const [found, wanted] =
      kind === Stack ? ['a stack of layers', 'one layer'] : ['a model of one layer', 'several'];
    throw badFile(name, `holds ${found}; a model of ${wanted} is needed here`);
  }
  return kind === Stack ? new Stack(readStack(bytes, name)) : new PCAE(readModel(bytes, name, losses));
}

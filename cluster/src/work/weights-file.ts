import { readSafetensors, type Tensor, type TensorType, writeSafetensors } from 'pc-ae/formats';

/**
 * Named arrays as the bytes of a safetensors file: weights, codes and sums on their way between machines.
 * What is removed once it was used names the task that it belongs to: no other task then has the same bytes,
 * and loses them.
 */
export function arraysToBytes(arrays: Readonly<Record<string, Numbers>>, task?: string): Uint8Array {
  return writeSafetensors(
    Object.entries(arrays).map(([name, data]): [string, Tensor] => [
      name,
      { type: typeOf(data), shape: [data.length], data },
    ]),
    task === undefined ? {} : { task },
  );
}

/** The arrays in such bytes, each of the length that is expected of it. */
export function arraysFromBytes<Name extends string>(
  bytes: Uint8Array,
  lengths: Readonly<Record<Name, number>>,
  name: string,
): Record<Name, Numbers> {
  const { tensors } = readSafetensors(bytes, name);
  const found = {} as Record<Name, Numbers>;
  for (const [key, length] of Object.entries(lengths) as [Name, number][]) {
    const tensor = tensors.get(key);
    if (!tensor || tensor.data.length !== length)
      throw new RangeError(
        `${name}: expected ${length} numbers of '${key}', got ${tensor?.data.length ?? 'none'}`,
      );
    found[key] = tensor.data as Numbers;
  }
  return found;
}

export type Numbers = Float32Array | Float64Array | Int32Array | Uint16Array;

function typeOf(data: Numbers): TensorType {
  if (data instanceof Float32Array) return 'F32';
  if (data instanceof Int32Array) return 'I32';
  return data instanceof Uint16Array ? 'U16' : 'F64';
}

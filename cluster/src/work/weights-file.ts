import { readSafetensors, type Tensor, writeSafetensors } from 'pc-ae/formats';

/**
 * Named arrays as the bytes of a safetensors file: weights, codes and sums on their way between machines. What is removed
 * once it was used names the task that it belongs to: no other task then has the same bytes, and loses them.
 */
export function arraysToBytes(
  arrays: Readonly<Record<string, Float32Array | Float64Array>>,
  task?: string,
): Uint8Array {
  return writeSafetensors(
    Object.entries(arrays).map(([name, data]): [string, Tensor] => [
      name,
      { type: data instanceof Float32Array ? 'F32' : 'F64', shape: [data.length], data },
    ]),
    task === undefined ? {} : { task },
  );
}

/** The arrays in such bytes, each of the length that is expected of it. */
export function arraysFromBytes<Name extends string>(
  bytes: Uint8Array,
  lengths: Readonly<Record<Name, number>>,
  name: string,
): Record<Name, Float32Array | Float64Array> {
  const { tensors } = readSafetensors(bytes, name);
  const found = {} as Record<Name, Float32Array | Float64Array>;
  for (const [key, length] of Object.entries(lengths) as [Name, number][]) {
    const tensor = tensors.get(key);
    if (!tensor || tensor.data.length !== length)
      throw new RangeError(
        `${name}: expected ${length} numbers of '${key}', got ${tensor?.data.length ?? 'none'}`,
      );
    found[key] = tensor.data as Float32Array | Float64Array;
  }
  return found;
}

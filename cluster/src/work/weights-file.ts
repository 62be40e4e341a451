import { readSafetensors, type Tensor, writeSafetensors } from 'pc-ae/formats';

/** Named arrays as the bytes of a safetensors file: weights, codes and sums on their way between machines. */
export function arraysToBytes(arrays: Readonly<Record<string, Float32Array | Float64Array>>): Uint8Array {
  return writeSafetensors(
    Object.entries(arrays).map(([name, data]): [string, Tensor] => [
      name,
      { type: data instanceof Float32Array ? 'F32' : 'F64', shape: [data.length], data },
    ]),
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

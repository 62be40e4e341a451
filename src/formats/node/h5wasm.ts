/**
 * Where the HDF5 library is, for a thread that has no place of its own to look from. The executable brings
 * its own.
 */
export function h5wasmAddress(): string {
  return import.meta.resolve('h5wasm/node');
}

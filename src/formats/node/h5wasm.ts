/** The address of the HDF5 library, for a thread that cannot resolve it. The executable brings its own. */
export function h5wasmAddress(): string {
  return import.meta.resolve('h5wasm/node');
}

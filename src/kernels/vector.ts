/** Vectors of float64 numbers by their address. */

@inline
export function get(vector: usize, index: u32): f64 {
  return load<f64>(vector + (<usize>index << 3));
}

@inline
export function set(vector: usize, index: u32, value: f64): void {
  store<f64>(vector + (<usize>index << 3), value);
}

/** The state of each lane of a panel while it is minimised. */

// Vectors of eight floats in `panel.state`.
export const SLOPE: usize = 0; // of the objective at a = 0
export const TRIAL: usize = 32; // of the objective at a
export const LENGTH: usize = 64; // a
export const LOW: usize = 96; // the bracket: slope <= 0 at LOW, > 0 at HIGH
export const HIGH: usize = 128;
export const LOW_SLOPE: usize = 160;
export const HIGH_SLOPE: usize = 192;
export const CURVATURE: usize = 224;
export const LARGEST: usize = 256; // max |Md|
export const SQUARE: usize = 288; // G . P
export const ACTIVE: usize = 320; // 1 while a lane is at work, 0 when it is done
export const FRESH: usize = 352; // 1 when the direction is -P, 2 when the next one is to be
export const RIDGE_SLOPE: usize = 384; // ridge Z . D
export const RIDGE_CURVATURE: usize = 416; // ridge D . D
export const TEMPORARY: usize = 448;
export const REACH: usize = 480; // the longest step that stays in the box, if steps may grow; else 0

@inline
export function get(vector: usize, lane: u32): f32 {
  return load<f32>(vector + (<usize>lane << 2));
}

@inline
export function set(vector: usize, lane: u32, value: f32): void {
  store<f32>(vector + (<usize>lane << 2), value);
}

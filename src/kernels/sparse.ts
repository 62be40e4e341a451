/**
 * Scores from a matrix that is mostly zeros. Its entries stand row after row, eight bytes each: where the
 * entry's column begins in the panel of codes, and its value. `starts` (K + 1) tells where the entries of
 * each row begin.
 */
import { madd } from './simd';

/**
 * M (K x 8) = A z. Entries are added up in the order of their columns, as the dense product does: a zero adds
 * nothing to a sum, so both give the same scores, bit for bit.
 */
export function sparseScores(entries: usize, starts: usize, K: u32, Z: usize, M: usize): void {
  let entry = entries;
  const last = starts + (<usize>K << 2);
  for (; starts < last; starts += 4, M += 32) {
    const end = entries + (<usize>load<u32>(starts, 4) << 3);
    let c0 = f32x4.splat(0);
    let c1 = f32x4.splat(0);
    for (; entry < end; entry += 8) {
      const z = Z + <usize>load<u32>(entry);
      const a = v128.load_splat<f32>(entry, 4);
      c0 = madd(a, v128.load(z), c0);
      c1 = madd(a, v128.load(z, 16), c1);
    }
    v128.store(M, c0);
    v128.store(M, c1, 16);
  }
}

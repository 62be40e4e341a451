/** Symmetric positive definite systems in float64: L L^T x = b, L in the lower triangle of a square array. */

/** Factors the n x n matrix in place. False where a pivot is not positive. */
export function factor(A: usize, n: u32): bool {
  const stride = <usize>n << 3;
  for (let i: u32 = 0; i < n; i++) {
    const row = A + <usize>i * stride;
    for (let j: u32 = 0; j < i; j++) {
      const other = A + <usize>j * stride;
      const sum = load<f64>(row + (<usize>j << 3)) - dot64(row, other, j);
      store<f64>(row + (<usize>j << 3), sum / load<f64>(other + (<usize>j << 3)));
    }
    const pivot = load<f64>(row + (<usize>i << 3)) - dot64(row, row, i);
    if (!(pivot > 0)) return false;
    store<f64>(row + (<usize>i << 3), sqrt(pivot));
  }
  return true;
}

/** Solves with the factor, b becoming x. */
export function solveFactored(A: usize, n: u32, b: usize): void {
  const stride = <usize>n << 3;
  for (let i: u32 = 0; i < n; i++) {
    const row = A + <usize>i * stride;
    const at = b + (<usize>i << 3);
    store<f64>(at, (load<f64>(at) - dot64(row, b, i)) / load<f64>(row + (<usize>i << 3)));
  }
  for (let i = n; i-- > 0; ) {
    const row = A + <usize>i * stride;
    const at = b + (<usize>i << 3);
    const x = load<f64>(at) / load<f64>(row + (<usize>i << 3));
    store<f64>(at, x);
    for (let j: u32 = 0; j < i; j++) {
      const other = b + (<usize>j << 3);
      store<f64>(other, load<f64>(other) - x * load<f64>(row + (<usize>j << 3)));
    }
  }
}

function dot64(a: usize, b: usize, count: u32): f64 {
  let sums = f64x2.splat(0);
  let more = f64x2.splat(0);
  let i: u32 = 0;
  for (; i + 4 <= count; i += 4, a += 32, b += 32) {
    sums = f64x2.add(sums, f64x2.mul(v128.load(a), v128.load(b)));
    more = f64x2.add(more, f64x2.mul(v128.load(a, 16), v128.load(b, 16)));
  }
  sums = f64x2.add(sums, more);
  let sum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
  for (; i < count; i++, a += 8, b += 8) sum += load<f64>(a) * load<f64>(b);
  return sum;
}

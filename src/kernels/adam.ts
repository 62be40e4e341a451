/**
 * One Adam step on rows of `width` numbers, ridge added to the gradient (not in the columns from `free` on)
 * and, where there are prices of the numbers' sizes, these taken off by a proximal step of the same length.
 */
export function adam(
  at: usize,
  gradient: usize,
  first: usize,
  second: usize,
  rows: u32,
  width: u32,
  free: u32,
  scale: f32,
  ridge: f32,
  prices: usize,
  beta1: f32,
  beta2: f32,
  rate: f32,
  correctFirst: f32,
  correctSecond: f32,
  epsilon: f32,
): void {
  let index: usize = 0;
  for (let row: u32 = 0; row < rows; row++) {
    let h: u32 = 0;
    for (; h + 4 <= free; h += 4, index += 16) {
      const w = v128.load(at + index);
      const g = f32x4.add(
        f32x4.mul(f32x4.splat(scale), v128.load(gradient + index)),
        f32x4.mul(f32x4.splat(ridge), w),
      );
      const m = f32x4.add(f32x4.mul(f32x4.splat(beta1), v128.load(first + index)), f32x4.mul(f32x4.splat(1 - beta1), g));
      const v = f32x4.add(
        f32x4.mul(f32x4.splat(beta2), v128.load(second + index)),
        f32x4.mul(f32x4.splat(1 - beta2), f32x4.mul(g, g)),
      );
      v128.store(first + index, m);
      v128.store(second + index, v);
      const root = f32x4.sqrt(f32x4.mul(v, f32x4.splat(correctSecond)));
      const length = f32x4.div(f32x4.splat(rate), f32x4.add(root, f32x4.splat(epsilon)));
      const moved = f32x4.sub(w, f32x4.mul(length, f32x4.mul(f32x4.splat(correctFirst), m)));
      if (prices) {
        const shrink = f32x4.mul(length, v128.load(prices + index));
        const above = f32x4.max(f32x4.splat(0), f32x4.sub(moved, shrink));
        v128.store(at + index, f32x4.add(above, f32x4.min(f32x4.splat(0), f32x4.add(moved, shrink))));
      } else v128.store(at + index, moved);
    }
    for (; h < width; h++, index += 4) {
      const ridged = h < free;
      const w = load<f32>(at + index);
      const g = scale * load<f32>(gradient + index) + (ridged ? ridge * w : 0);
      const m = beta1 * load<f32>(first + index) + (1 - beta1) * g;
      const v = beta2 * load<f32>(second + index) + (1 - beta2) * g * g;
      store<f32>(first + index, m);
      store<f32>(second + index, v);
      const length = rate / (sqrt<f32>(v * correctSecond) + epsilon);
      const moved = w - length * correctFirst * m;
      const shrink = prices ? length * load<f32>(prices + index) : 0;
      const shrunk = max<f32>(0, moved - shrink) + min<f32>(0, moved + shrink);
      store<f32>(at + index, prices ? shrunk : moved);
    }
  }
}

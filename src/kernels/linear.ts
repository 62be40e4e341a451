/**
 * Where steps on codes may begin: at codes that are linear in their rows,
 *
 *     e = -S A^T r,        r_k = linear_k (b_k - target x_k),
 *
 * with S the preconditioner and b the weights of the bias unit.
 */
import { productBackAlone, squareAlone } from './alone';
import { Job } from './job';
import { Panel, pitchOf } from './panel';
import { productBack, scores } from './product';

export function beginLinear(job: Job, panel: Panel): void {
  takeResiduals(job, panel);
  const free = job.free;
  if (panel.alone) {
    productBackAlone(job.back, panel.K, free, panel.R, panel.G);
    squareAlone(job.precondition, free, panel.G, panel.P);
  } else {
    productBack(job.back, panel.K, free, panel.R, panel.G);
    scores(job.precondition, free, free, free, panel.G, panel.P);
  }
  const end = <usize>free << 5;
  for (let at: usize = 0; at < end; at += 16) v128.store(panel.Z + at, f32x4.neg(v128.load(panel.P + at)));
}

/** R = r, without the entries that are missing. A row alone has its own numbers in the order of entries. */
function takeResiduals(job: Job, panel: Panel): void {
  const pitch = pitchOf(panel);
  const stride = <usize>job.width << 2;
  let bias = job.width > job.free ? <usize>job.A + (<usize>job.free << 2) : 0;
  let linear = <usize>job.linear;
  const end = pitch * panel.K;
  for (let at: usize = 0; at < end; at += pitch, linear += 4) {
    const b: f32 = bias ? load<f32>(bias) : 0;
    if (bias) bias += stride;
    const weight = load<f32>(linear);
    if (panel.alone) {
      const known = !panel.T || load<f32>(panel.T + at) > 0;
      store<f32>(panel.R + at, known ? weight * (b - job.target * load<f32>(panel.X + at)) : 0);
    } else {
      takeFour(job, panel, at, b, weight);
      takeFour(job, panel, at + 16, b, weight);
    }
  }
}

@inline
function takeFour(job: Job, panel: Panel, at: usize, b: f32, weight: f32): void {
  const x = v128.load(panel.X + at);
  const aim = f32x4.sub(f32x4.splat(b), f32x4.mul(f32x4.splat(job.target), x));
  let r = f32x4.mul(f32x4.splat(weight), aim);
  if (panel.T) r = v128.and(r, f32x4.gt(v128.load(panel.T + at), f32x4.splat(0)));
  v128.store(panel.R + at, r);
}

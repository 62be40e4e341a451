/**
 * The paper's own method (App. A): Adagrad on each item. A panel makes all its steps while it is in cache.
 * The gradient is that of the paper's objectives, which are twice the loss in nats: the host sets `half` to
 * 1, or to 1/n on side 'weights'.
 */
import { scoresAndResiduals } from './forward';
import { Job } from './job';
import { loadPanel } from './load-panel';
import { gather, Panel, scatter, storePanel } from './panel';
import { productBack } from './product';
import { madd } from './simd';

export function adagradPanel(job: Job, panel: Panel, first: u32, end: u32): void {
  loadPanel(job, panel, first, end);
  const stride = <usize>job.width << 2;
  const stored = <usize>job.accumulators + <usize>first * stride;
  gather(stored, stride, job.width, panel.lanes, panel.P);
  for (let step: u32 = 0; step < job.steps; step++) {
    scoresAndResiduals(job, panel, false);
    productBack(job.back, panel.K, job.free, panel.R, panel.G);
    move(job, panel);
  }
  scatter(panel.P, job.width, panel.lanes, stored, stride);
  storePanel(job, panel);
}

/** P += G^2;  Z -= rate G / sqrt(P), clipped to the box. */
function move(job: Job, panel: Panel): void {
  const rate = f32x4.splat(job.rate);
  const high = f32x4.splat(job.radius);
  const low = f32x4.splat(-job.radius);
  // A coordinate that never had a gradient stays where it is: 0 / sqrt(tiny) instead of 0 / 0.
  const tiny = f32x4.splat(1e-30);
  const end = <usize>job.free << 5;
  for (let at: usize = 0; at < end; at += 16) {
    const g = v128.load(panel.G + at);
    const sum = madd(g, g, v128.load(panel.P + at));
    v128.store(panel.P + at, sum);
    const change = f32x4.div(f32x4.mul(rate, g), f32x4.sqrt(f32x4.pmax(sum, tiny)));
    const z = f32x4.sub(v128.load(panel.Z + at), change);
    // pmin and pmax, in this order of arguments, keep what is not a number, in one instruction each where max
    // takes eight.
    v128.store(panel.Z + at, f32x4.pmax(f32x4.pmin(z, high), low));
  }
}

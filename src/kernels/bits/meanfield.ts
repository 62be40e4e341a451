/**
 * Codes of true bits by annealed mean field. Independent random bits with means e_h = tanh(a_h) have, to
 * second order and with one curvature c_h a unit, the expected loss less T times entropy
 *
 *     F_T(e) = loss(e) + (1/2) sum_h c_h (1 - e_h^2) - T sum_h Entropy(e_h).
 *
 * Its stationary points obey a = -(g - c e) / T, g the gradient of the loss. A damped step towards that point
 * costs the two products of any gradient step, and T falls from step to step until the bits have made up
 * their minds. A panel of rows makes all its steps, from all its starts, while it is in cache.
 */
import { flipLanes } from './flip';
import { scoresAndResiduals } from '../forward';
import { tanhHalf } from '../functions';
import { Job } from '../job';
import { losses } from '../loss';
import { loadPanel } from '../load-panel';
import { Panel, scatter, storePanel } from '../panel';
import { probeLanes } from './probe';
import { productBack, scores } from '../product';
import { madd } from '../simd';

/** The best code of each row that any start leads to; `job.keep`: or the one it had. */
export function annealPanel(job: Job, panel: Panel, scratch: usize, first: u32, end: u32): void {
  loadPanel(job, panel, first, end);
  const bytes = <usize>job.free << 5;
  const best = panel.before;
  const least = panel.state + 32;
  memory.copy(best, panel.Z, bytes);
  if (job.keep) measure(job, panel, least);
  else for (let l: u32 = 0; l < 8; l++) store<f32>(least + (<usize>l << 2), Infinity);
  for (let start: u32 = 0; start < job.startCount; start++) {
    begin(job, panel, start);
    let temperature = job.hot;
    for (let step: u32 = 0; step < job.steps; step++, temperature *= job.cooling) {
      means(job, panel);
      scoresAndResiduals(job, panel, false);
      productBack(job.back, panel.K, job.free, panel.R, panel.G);
      move(job, panel, temperature);
    }
    if (job.expansions) {
      means(job, panel);
      memory.copy(panel.P, panel.Z, <usize>job.width << 5);
      decide(job, panel.P, panel.D);
      probeLanes(job, panel, scratch);
    } else {
      decide(job, panel.Z, panel.D);
      flipLanes(job, panel, scratch);
    }
    measure(job, panel, panel.state);
    keepBetter(panel.Z, panel.state, best, least, bytes);
  }
  memory.copy(panel.Z, best, bytes);
  storePanel(job, panel);
  if (!job.losses) return;
  for (let l: u32 = 0; l < panel.lanes; l++) {
    store<f32>(<usize>job.losses + (<usize>(first + l) << 2), load<f32>(least + (<usize>l << 2)));
  }
}

/**
 * A few steps, at one temperature, on parameters a that the caller keeps where codes would be. Leaves R, C, M
 * and the means Z as they were before the last step.
 */
export function relaxPanel(job: Job, panel: Panel, first: u32, end: u32): void {
  loadPanel(job, panel, first, end);
  memory.copy(panel.D, panel.Z, <usize>job.width << 5);
  for (let step: u32 = 0; step < job.steps; step++) {
    means(job, panel);
    scoresAndResiduals(job, panel, step + 1 == job.steps);
    productBack(job.back, panel.K, job.free, panel.R, panel.G);
    move(job, panel, job.hot);
  }
  const stride = <usize>job.width << 2;
  scatter(panel.D, job.width, panel.lanes, job.Z + <usize>first * stride, stride);
  if (!job.losses) return;
  losses(job, panel, panel.state);
  for (let l: u32 = 0; l < panel.lanes; l++) {
    store<f32>(<usize>job.losses + (<usize>(first + l) << 2), load<f32>(panel.state + (<usize>l << 2)));
  }
}

/** D = the parameters of one start, the same for all rows. */
function begin(job: Job, panel: Panel, start: u32): void {
  let from = <usize>job.starts + ((<usize>start * <usize>job.free) << 2);
  const end = panel.D + (<usize>job.free << 5);
  for (let D = panel.D; D < end; D += 32, from += 4) {
    const a = v128.load_splat<f32>(from);
    v128.store(D, a);
    v128.store(D, a, 16);
  }
}

/** Z = tanh(D). */
function means(job: Job, panel: Panel): void {
  const end = <usize>job.free << 5;
  for (let at: usize = 0; at < end; at += 16) {
    const a = v128.load(panel.D + at);
    v128.store(panel.Z + at, tanhHalf(f32x4.add(a, a)));
  }
}

/** D += rate (-(G - c Z) / temperature - D). */
function move(job: Job, panel: Panel, temperature: f32): void {
  const rate = f32x4.splat(job.rate);
  const cold = f32x4.splat(1 / temperature);
  const end = <usize>job.free << 5;
  let bend = <usize>job.bends;
  for (let at: usize = 0; at < end; bend += 4) {
    const c = v128.load_splat<f32>(bend);
    for (const stop = at + 32; at < stop; at += 16) {
      const pull = f32x4.sub(f32x4.mul(c, v128.load(panel.Z + at)), v128.load(panel.G + at));
      const a = v128.load(panel.D + at);
      v128.store(panel.D + at, madd(rate, f32x4.sub(f32x4.mul(pull, cold), a), a));
    }
  }
}

/** codes = the signs of the parameters. */
function decide(job: Job, codes: usize, parameters: usize): void {
  const one = f32x4.splat(1);
  const sign = f32x4.splat(-0.0);
  const end = <usize>job.free << 5;
  for (let at: usize = 0; at < end; at += 16) {
    v128.store(codes + at, v128.bitselect(v128.load(parameters + at), one, sign));
  }
}

/** Losses (8) of the codes Z. */
function measure(job: Job, panel: Panel, out: usize): void {
  scores(job.forward, panel.K, job.width, job.width, panel.Z, panel.M);
  losses(job, panel, out);
}

/** Lanes whose new code has the lower loss take it. */
function keepBetter(codes: usize, found: usize, best: usize, least: usize, bytes: usize): void {
  for (let part: usize = 0; part < 32; part += 16) {
    const f = v128.load(found + part);
    const before = v128.load(least + part);
    const better = f32x4.lt(f, before);
    v128.store(least + part, v128.bitselect(f, before, better));
    for (let at = part; at < bytes; at += 32) {
      v128.store(best + at, v128.bitselect(v128.load(codes + at), v128.load(best + at), better));
    }
  }
}

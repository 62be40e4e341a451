/** Operations that go over a panel once: losses, gaps and gradients, decoding, and products with X. */
import { scoresAndResiduals } from './forward';
import { Job } from './job';
import { losses, lossesAtResiduals, residuals } from './loss';
import { transfer } from './psi';
import { loadEntries, loadPanel } from './load-panel';
import { gather, Panel, scatter, writeLanes } from './panel';
import { productBack, scores } from './product';
import { fill } from './simd';
import { sparseScores } from './sparse';

/**
 * Loss and Frank-Wolfe gap, sum_h (g_h e_h + r |g_h|), of a panel's rows; r: the radius, or what codes need.
 */
export function measurePanel(job: Job, panel: Panel, first: u32, end: u32): void {
  loadPanel(job, panel, first, end);
  scores(job.forward, panel.K, job.width, job.width, panel.Z, panel.M);
  if (job.losses) {
    losses(job, panel, panel.state);
    writeLanes(panel, panel.state, job.losses);
  }
  if (!job.gaps) return;
  residuals(job, panel, 0, <usize>panel.K << 5, false);
  productBack(job.back, panel.K, job.free, panel.R, panel.G);
  for (let part: usize = 0; part < 32; part += 16) {
    let inward = f32x4.splat(0);
    let steepness = f32x4.splat(0);
    let reach = f32x4.splat(job.radius);
    const rows = <usize>job.free << 5;
    for (let at = part; at < rows; at += 32) {
      const g = v128.load(panel.G + at);
      const z = v128.load(panel.Z + at);
      inward = f32x4.add(inward, f32x4.mul(g, z));
      steepness = f32x4.add(steepness, f32x4.abs(g));
      reach = f32x4.max(reach, f32x4.abs(z));
    }
    v128.store(panel.state + part, f32x4.add(inward, f32x4.mul(reach, steepness)));
  }
  writeLanes(panel, panel.state, job.gaps);
}

/** Loss and gradient A^T r of the rows of a panel; leaves R and Z for the sum over rows. */
export function gradientPanel(job: Job, panel: Panel, first: u32, end: u32): void {
  loadPanel(job, panel, first, end);
  scoresAndResiduals(job, panel, false);
  if (job.losses) {
    lossesAtResiduals(job, panel, panel.state);
    writeLanes(panel, panel.state, job.losses);
  }
  if (!job.out) return;
  productBack(job.back, panel.K, job.free, panel.R, panel.G);
  fill(panel.G + (<usize>job.free << 5), 0, (job.width - job.free) << 3);
  const stride = <usize>job.width << 2;
  scatter(panel.G, job.width, panel.lanes, <usize>job.out + <usize>first * stride, stride);
}

/** Scores of the rows of a panel, or their reconstructions, to row `first - start` of the output. */
export function decodePanel(job: Job, panel: Panel, first: u32, end: u32): void {
  panel.first = first;
  panel.lanes = min<u32>(8, end - first);
  const stride = <usize>job.width << 2;
  gather(<usize>job.Z + <usize>first * stride, stride, job.width, panel.lanes, panel.Z);
  if (job.forward) scores(job.forward, panel.K, job.width, job.width, panel.Z, panel.M);
  else sparseScores(job.entries, job.entryStarts, panel.K, panel.Z, panel.M);
  if (job.what) {
    const last = panel.M + (<usize>panel.K << 5);
    for (let M = panel.M; M < last; M += 16) v128.store(M, transfer(job, v128.load(M)));
  }
  const row = <usize>job.V << 2;
  scatter(panel.M, job.V, panel.lanes, <usize>job.out + <usize>(first - job.start) * row, row);
}

/** Rows of X A (side 'codes') or of X^T A (side 'weights'); missing entries count as 0. */
export function projectPanel(job: Job, panel: Panel, first: u32, end: u32): void {
  panel.first = first;
  panel.lanes = min<u32>(8, end - first);
  loadEntries(job, panel);
  productBack(job.back, panel.K, job.width, panel.X, panel.G);
  const stride = <usize>job.width << 2;
  scatter(panel.G, job.width, panel.lanes, <usize>job.out + <usize>first * stride, stride);
}

/**
 * The Newton systems of a panel: each lane's own Hessian, factored. They precondition the steps after they
 * were taken, the first of which is Newton's own.
 */
import { factorLanes, solveLanes } from './cholesky';
import { canSample, hessian, pickedBytes, sample, sampledHessian } from './hessian';
import { Job } from './job';
import { Panel, pitchOf } from './panel';
import { aligned, madd } from './simd';

@unmanaged
export class Own {
  /** The factors: [free][free][8]. */
  square: usize;
  picked: usize;
  /** Entries with less than this share of a lane's largest curvature are left out. */
  share: f32;
  /** Whether a sample of the entries stands for all of them. */
  sampled: bool;
}

const HEADER: u32 = 64;

/** What is added to a Hessian's diagonal, as a share of it: float32 cannot tell less from rounding. */
const DAMPING: f32 = 1e-4;

export function ownBytes(job: Job): u32 {
  return HEADER + squareBytes(job) + pickedBytes(job);
}

function squareBytes(job: Job): u32 {
  return aligned((job.free * job.free) << 5);
}

/** `moving`: the systems are for steps whose gradients are exact, and need not be exact themselves. */
export function openOwn(job: Job, at: usize, share: f32, moving: bool): Own {
  const own = changetype<Own>(at);
  own.share = share;
  own.sampled = moving && canSample(job);
  own.square = at + HEADER;
  own.picked = own.square + <usize>squareBytes(job);
  return own;
}

/**
 * Computes and factors the Hessians of active lanes (`active` > 0), at the panel's curvatures C, with ridge.
 */
export function takeHessians(job: Job, panel: Panel, own: Own, active: usize): void {
  const free = job.free;
  const pitch = pitchOf(panel);
  if (own.sampled) sample(job, own.picked, panel.C, pitch);
  for (let lane: usize = 0; lane < 32; lane += 4) {
    if (!(load<f32>(active + lane) > 0)) continue;
    if (own.sampled) sampledHessian(job, own.picked, lane >> 2, own.square + lane, 32);
    else hessian(job, own.picked, panel.C + lane, pitch, own.square + lane, 32, own.share);
  }
  const share = f32x4.splat(DAMPING);
  const radius = f32x4.splat(job.radius);
  const zero = f32x4.splat(0);
  for (let h: usize = 0; h < <usize>free; h++) {
    const diagonal = own.square + ((h * <usize>free + h) << 5);
    const ridge = f32x4.splat(h < <usize>job.ridged ? job.ridge : 0);
    for (let half: usize = 0; half < 32; half += 16) {
      const at = (h << 5) + half;
      const entry = f32x4.add(v128.load(diagonal + half), ridge);
      const g = v128.load(panel.G + at);
      // A bound holds what is on it and has had its gradient taken away.
      const held = v128.and(f32x4.ge(f32x4.abs(v128.load(panel.Z + at)), radius), f32x4.eq(g, zero));
      v128.store(diagonal + half, v128.andnot(madd(share, entry, entry), held));
    }
  }
  factorLanes(own.square, free, panel.alone);
}

/** P = (the lane's own Hessian)^-1 G. */
export function preconditionOwn(job: Job, panel: Panel, own: Own): void {
  memory.copy(panel.P, panel.G, <usize>job.free << 5);
  solveLanes(own.square, job.free, panel.P, panel.alone);
}

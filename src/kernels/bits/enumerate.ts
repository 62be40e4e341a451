/**
 * All 2^H codes of a panel of rows, one after the other in the order of a Gray code: from one to the next a
 * single bit flips, and the scores change by one column of W. The best one met is the best there is.
 */
import { Job } from '../job';
import { losses } from '../loss';
import { loadPanel } from '../load-panel';
import { Panel, storePanel } from '../panel';
import { scores } from '../product';
import { fours, madd } from '../simd';

/** Codes between two computations of the scores from nothing, which wipe out what rounding has added up. */
const AFRESH: u32 = 256;

export function enumeratePanel(job: Job, panel: Panel, first: u32, end: u32): void {
  loadPanel(job, panel, first, end);
  const H = job.free;
  const least = panel.state + 32;
  /** The number of the best code of each lane, as a Gray code. */
  const best = panel.state + 64;
  for (let l: u32 = 0; l < 8; l++) store<f32>(least + (<usize>l << 2), Infinity);
  for (let h: u32 = 0; h < H; h++) setBit(panel, h, -1);
  const codes: u32 = 1 << H;
  for (let code: u32 = 0; code < codes; code++) {
    if (code > 0) {
      const h = <u32>ctz(code);
      const e: f32 = ((gray(code) >> h) & 1) != 0 ? 1 : -1;
      setBit(panel, h, e);
      if (code % AFRESH != 0) addColumn(job, panel, h, 2 * e);
    }
    if (code % AFRESH == 0) scores(job.forward, panel.K, job.width, job.width, panel.Z, panel.M);
    losses(job, panel, panel.state);
    for (let l: usize = 0; l < 32; l += 4) {
      const f = load<f32>(panel.state + l);
      if (!(f < load<f32>(least + l))) continue;
      store<f32>(least + l, f);
      store<u32>(best + l, gray(code));
    }
  }
  for (let h: u32 = 0; h < H; h++) {
    for (let l: usize = 0; l < 32; l += 4) {
      store<f32>(panel.Z + (<usize>h << 5) + l, ((load<u32>(best + l) >> h) & 1) != 0 ? 1 : -1);
    }
  }
  storePanel(job, panel);
  if (!job.losses) return;
  for (let l: u32 = 0; l < panel.lanes; l++) {
    store<f32>(<usize>job.losses + (<usize>(first + l) << 2), load<f32>(least + (<usize>l << 2)));
  }
}

@inline
function gray(code: u32): u32 {
  return code ^ (code >> 1);
}

function setBit(panel: Panel, h: u32, e: f32): void {
  const at = panel.Z + (<usize>h << 5);
  v128.store(at, f32x4.splat(e));
  v128.store(at, f32x4.splat(e), 16);
}

/** M += factor times column h of W, in every lane. */
function addColumn(job: Job, panel: Panel, h: u32, factor: f32): void {
  const height = <usize>fours(job.V);
  let column = <usize>job.columns + ((<usize>h * height) << 2);
  const scale = f32x4.splat(factor);
  const end = panel.M + (<usize>panel.K << 5);
  for (let M = panel.M; M < end; M += 32, column += 4) {
    const w = v128.load_splat<f32>(column);
    v128.store(M, madd(scale, w, v128.load(M)));
    v128.store(M, madd(scale, w, v128.load(M, 16)), 16);
  }
}

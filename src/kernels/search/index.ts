/**
 * The entry: `work` takes units of a search, or of vectors to be assigned codes, until none is left. Any
 * number of threads may work on the same one; what is found does not depend on who takes a unit.
 */
import { assign } from './assign';
import { Job } from './job';
import { scan } from './scan';
import { scores } from './scores';

export function work(job: Job, thread: u32): void {
  for (;;) {
    const unit = atomic.add<i32>(changetype<usize>(job) + offsetof<Job>('next'), 1);
    if (unit >= job.units) return;
    const first = <u32>unit * job.chunk;
    const end = min(first + job.chunk, job.n);
    if (job.vectors) {
      for (let i = first; i < end; i++) assign(job, thread, i);
      continue;
    }
    // All queries while the codes are in the cache.
    for (let query: u32 = 0; query < job.queryCount; query++) {
      if (job.tables) scores(job, thread, query, first, end);
      else scan(job, thread, query, first, end);
    }
  }
}

/**
 * What becomes of a code that is near enough. A key is distance * 2^32 + number of the code, so the order of
 * keys is the order of results: by distance, and among equals the lower number first.
 */
import { Job } from './job';

/** The distance below which a code is near enough for the query now. */
export function limitOf(job: Job, thread: u32, query: u32): u32 {
  return job.k ? <u32>(load<u64>(heapOf(job, thread, query)) >> 32) : job.below;
}

/** Keeps a code and gives the new limit. */
export function found(job: Job, thread: u32, query: u32, code: u32, distance: u32): u32 {
  const key = (<u64>distance << 32) | code;
  if (!job.k) {
    const count = <usize>job.counts + (<usize>query << 2);
    const place = atomic.add<u32>(count, 1);
    if (job.write) {
      const start = load<u32>(<usize>job.starts + (<usize>query << 2));
      store<u64>(<usize>job.keys + (<usize>(start + place) << 3), key);
    }
    return job.below;
  }
  const heap = heapOf(job, thread, query);
  replaceLargest(heap, job.k, key);
  return <u32>(load<u64>(heap) >> 32);
}

@inline
function heapOf(job: Job, thread: u32, query: u32): usize {
  return <usize>job.keys + ((<usize>(thread * job.queryCount + query) * job.k) << 3);
}

/** The largest of the k keys is first; it makes room for the new one. */
function replaceLargest(heap: usize, k: u32, key: u64): void {
  let place: u32 = 0;
  for (;;) {
    let child: u32 = 2 * place + 1;
    if (child >= k) break;
    let larger = load<u64>(heap + (<usize>child << 3));
    if (child + 1 < k) {
      const other = load<u64>(heap + (<usize>(child + 1) << 3));
      if (other > larger) {
        larger = other;
        child++;
      }
    }
    if (larger <= key) break;
    store<u64>(heap + (<usize>place << 3), larger);
    place = child;
  }
  store<u64>(heap + (<usize>place << 3), key);
}

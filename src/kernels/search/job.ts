/**
 * A search, as the host writes it into shared memory. The build script reads the fields of this class and
 * generates the host's side of them.
 */
@unmanaged
export class Job {
  /**
   * The next unit of work to take: every thread adds one to it. A unit is `chunk` codes, against all queries.
   */
  next: i32;
  units: i32;
  n: u32;
  chunk: u32;
  /** Bytes from one code to the next, a multiple of 8; what a code does not fill is 0. */
  stride: u32;
  codes: u32;
  queries: u32;
  queryCount: u32;
  /** How many of the nearest are kept; 0: all codes nearer than `below` are kept instead. */
  k: u32;
  below: u32;
  /** Nearest: a heap of k keys per query and thread. Otherwise: where the keys of all queries are written. */
  keys: u32;
  /** Otherwise: how many keys each query has found so far, and the place of its first one in `keys`. */
  counts: u32;
  starts: u32;
  /** Otherwise: 0 counts the keys, 1 writes them as well. */
  write: u32;
  /**
   * Scores: tables of 16 float32 for each half byte of a code, one set a query; 0: a search by Hamming
   * distance.
   */
  tables: u32;
  /**
   * The same tables in whole steps from 0 to 127, and what a query needs to compare with them: see scores.ts.
   */
  steps: u32;
  scales: u32;
  /** Scores: 16 bits per code, from 0 to 32767, and the number that 0 stands for. */
  constants: u32;
  least: f32;
  /** What one step of the constants stands for. */
  unit: f32;
  /** A bit for each code that may be found; 0: all of them. */
  allowed: u32;
  /** Assigning codes to vectors instead (assign.ts): n vectors of V numbers. 0: a search. */
  vectors: u32;
  V: u32;
  /** Words that a code chooses from, V x 16 halves, and for each two of them twice their product. */
  words: u32;
  pairs: u32;
  /** Squared lengths of the words. */
  lengths: u32;
  /** The chosen word of each half byte, a byte each: n x halves. */
  chosen: u32;
  halves: u32;
  /** Annealing after the first descent: how often, how many sweeps, the temperature that they begin with. */
  tries: u32;
  sweeps: u32;
  hot: f32;
  /** 4096 + 16 numbers of the standard Gumbel distribution, and what fixes which of them are used. */
  noise: u32;
  seed: u32;
  /** Room for each thread: two times 16 halves float32, and a code. */
  scratch: u32;
  /** What is left of the squared length of each vector, float32. */
  errors: u32;
}

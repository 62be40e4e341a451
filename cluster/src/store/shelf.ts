/**
 * The contract of what a store is kept on: bytes under keys, on a shared disk or in a bucket. A key is
 * written once and never overwritten: whoever comes second is told so and may compare.
 */
export interface Shelf {
  /** What to call it in messages: its address without credentials. */
  readonly name: string;
  /** The bytes under a key, or undefined where there are none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * Puts bytes under a key that has none, whole or not at all. False: the key has some already, and keeps
   * them.
   */
  putNew(key: string, bytes: Uint8Array): Promise<boolean>;
  /** All keys that begin with this prefix, which ends with '/', in order. */
  list(prefix: string): Promise<string[]>;
  /** Removes a key; one that is gone already counts as removed. */
  remove(key: string): Promise<void>;
}

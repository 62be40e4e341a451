import { type Spans, spansOf } from '../spans.ts';

/**
 * The codes that a worker has in memory: of each shard those that the last two rounds left, since a round may
 * turn out to count for nothing. Nobody else has them: what is not here is worked out again (`codes.ts`).
 */
export class WarmCodes {
  readonly #room: number;
  /** Shards by their names, those used last at the end. */
  readonly #shards = new Map<string, Kept>();
  #bytes = 0;

  constructor(room: number) {
    this.#room = room;
  }

  /** The codes of a shard after most of the weights of a path, and how many of them. */
  find(manifest: string, shard: number, path: readonly string[]): Found | undefined {
    const { after = [] } = this.#shards.get(nameOf(manifest, shard)) ?? {};
    const fitting = after.filter((one) => one.path.every((hash, k) => hash === path[k]));
    const longest = fitting.sort((a, b) => b.path.length - a.path.length)[0];
    return longest && { codes: longest.codes, rounds: longest.path.length };
  }

  keep(manifest: string, shard: number, path: readonly string[], codes: Float32Array): void {
    const name = nameOf(manifest, shard);
    const { after = [] } = this.#shards.get(name) ?? {};
    const others = after.filter((one) => one.path.join() !== path.join());
    this.#forget(name);
    this.#remember(name, { manifest, shard, after: [...others.slice(-1), { path, codes }] });
    for (const oldest of this.#shards.keys()) {
      if (this.#bytes <= this.#room) break;
      this.#forget(oldest);
    }
  }

  /** The shards of the manifest that was worked on last. */
  shards(): { readonly manifest: string; readonly shards: Spans } | undefined {
    const all = [...this.#shards.values()];
    const manifest = all.at(-1)?.manifest;
    if (manifest === undefined) return undefined;
    return {
      manifest,
      shards: spansOf(all.filter((one) => one.manifest === manifest).map((one) => one.shard)),
    };
  }

  #remember(name: string, kept: Kept): void {
    this.#shards.set(name, kept);
    this.#bytes += bytesOf(kept);
  }

  #forget(name: string): void {
    const kept = this.#shards.get(name);
    if (kept) this.#bytes -= bytesOf(kept);
    this.#shards.delete(name);
  }
}

interface Found {
  readonly codes: Float32Array;
  readonly rounds: number;
}

interface Kept {
  readonly manifest: string;
  readonly shard: number;
  readonly after: readonly { readonly path: readonly string[]; readonly codes: Float32Array }[];
}

function bytesOf({ after }: Kept): number {
  return after.reduce((sum, { codes }) => sum + codes.byteLength, 0);
}

function nameOf(manifest: string, shard: number): string {
  return `${manifest} ${shard}`;
}

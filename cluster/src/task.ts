import { createRequire } from 'node:module';
import { z } from 'zod';
import { hashOf } from './hash.ts';
import { type Spans, sayShards } from './spans.ts';

/**
 * A task is a pure function of what it names: the program, the manifest, shards of it, blobs by their hashes,
 * and a few numbers. Its hash is its name, and its answer is kept under that name: whoever works on it, and
 * how often, does not matter.
 */
export interface Task {
  /** The versions of the program that the task is for. */
  readonly program: string;
  readonly kind: TaskKind;
  /** Hash of the manifest. */
  readonly manifest: string;
  /** The places in the manifest of the shards that it is about. */
  readonly shards: Spans;
  /** Blobs that the task reads, by what they are to it. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, number | string | boolean>>;
}

export type TaskKind = z.infer<typeof kinds>;

/** 'aim' and 'step' are the coordinator's own: which way W goes in a round, and how far. */
const kinds = z.enum([
  ...(['sample', 'start', 'round', 'aim', 'search', 'step', 'settle'] as const),
  ...(['encode', 'eval', 'shrink', 'impute', 'trial'] as const),
]);

const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const taskSchema = z.object({
  program: z.string(),
  kind: kinds,
  manifest: hash,
  shards: z.array(z.tuple([z.number().int().nonnegative(), z.number().int().positive()])),
  inputs: z.record(z.string(), hash),
  options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
});

/** What a worker says: the hashes of the blobs it made. */
export interface Answer {
  readonly task: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** Who says so: a name for people. */
  readonly worker: string;
  readonly seconds: number;
}

export const answerSchema = z.object({
  task: hash,
  outputs: z.record(z.string(), hash),
  worker: z.string(),
  seconds: z.number(),
});

/** The task's name: the hash of its fields in a fixed order. */
export function taskId({ program, kind, manifest, shards, inputs, options }: Task): string {
  const sorted = (fields: object) => Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return hashOf(JSON.stringify([program, kind, manifest, shards, sorted(inputs), sorted(options)]));
}

/** What people call it. */
export function describe({ kind, shards, options }: Task): string {
  return `${kind}${options.round === undefined ? '' : ` ${options.round}`} of ${sayShards(shards)}`;
}

export function sameOutputs(a: Answer, b: Answer): boolean {
  const names = Object.keys(a.outputs);
  return (
    names.length === Object.keys(b.outputs).length &&
    names.every((name) => a.outputs[name] === b.outputs[name])
  );
}

/** What a task's answer depends on besides the task: two programs with the same name give the same bytes. */
export const PROGRAM: string = (() => {
  const require = createRequire(import.meta.url);
  const version = (name: string): string => require(name).version;
  return `pc-ae ${version('pc-ae/package.json')}, pc-ae-cluster ${version('../package.json')}`;
})();

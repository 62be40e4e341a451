import type { DeskCalls } from '../work/desk/calls.ts';
import type { RunCalls } from '../work/run/calls.ts';
import { Client } from './client.ts';
import { type Opened, openedByServer } from './opened.ts';
import { type KeptRun, type KeptSet, kept } from './storage.ts';

/** Whether the page may have threads, and how many suit this computer. */
export const isolated = globalThis.crossOriginIsolated === true;
export const usualThreads = isolated ? Math.min(8, navigator.hardwareConcurrency || 1) : 1;

/** What a visit begins with. */
export interface Found {
  /** Files that the server was given. */
  readonly opened: Opened;
  /** What this browser kept of earlier visits. */
  readonly sets: readonly KeptSet[];
  readonly runs: readonly KeptRun[];
}

let desk: Client<DeskCalls> | undefined;
let run: Client<RunCalls> | undefined;
let found: Promise<Found> | undefined;

/**
 * Starts what every visit needs before the page's own code is there: the workers, which load theirs
 * meanwhile, the threads of the first run, and the search for what is to be opened.
 */
export function startAhead(): void {
  found = find();
  desk = new Client('desk');
  run = new Client('run');
  run.ask('prepare', { threads: usualThreads }).catch(() => undefined);
}

export function whatThereIs(): Promise<Found> {
  return found ?? find();
}

async function find(): Promise<Found> {
  const reading = Promise.all([kept.sets(), kept.runs()]).catch(() => [[], []] as const);
  const [opened, [sets, runs]] = await Promise.all([openedByServer(), reading]);
  return { opened, sets, runs };
}

/** The desk that was started ahead, or another one. */
export function takeDesk(): Client<DeskCalls> {
  const ready = desk ?? new Client<DeskCalls>('desk');
  desk = undefined;
  return ready;
}

/** The worker of a run with so many threads: the one that was started ahead if it has as many. */
export function takeRun(threads: number): Client<RunCalls> {
  const ready = run;
  run = undefined;
  if (ready && threads === usualThreads) return ready;
  ready?.end();
  return new Client<RunCalls>('run');
}

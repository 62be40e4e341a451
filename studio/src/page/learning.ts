import type { Learned, LearnSettings } from '../work/run/calls.ts';
import { desk } from './desk.svelte.ts';
import { machine } from './machine.svelte.ts';
import { notices, sentence } from './notices.svelte.ts';
import { place } from './place.svelte.ts';
import { Run } from './run.svelte.ts';
import { type KeptRun, kept } from './storage.ts';
import { studio } from './studio.svelte.ts';

/**
 * Runs of learning, from their start to the model that is kept. A model that was dropped is a run that is
 * over.
 */

/** The usual settings of a run. */
export const DEFAULTS: LearnSettings = {
  ...{
    H: 16,
    encoding: 'box',
    loss: 'cross-entropy',
    validation: 0.1,
    calibrate: 0.1,
    seed: 1,
    engine: 'auto',
  },
};

/** Learns a model of rows that are open or about to be, beside the runs that there are. */
export async function learn(settings: LearnSettings, data = studio.data?.id): Promise<void> {
  if (!data) {
    notices.say('problem', 'There are no rows to learn from. Drop a file, or use the generated digits.');
    return;
  }
  const run = new Run(studio.freeId('r'), studio.freeName(nameOf(settings)), data, settings);
  run.waits = studio.data === undefined;
  studio.runs = [...studio.runs, run];
  studio.select({ run: run.id });
  const { port1, port2 } = new MessageChannel();
  await finish(run, async () => {
    const giving = desk.ask('give', { id: data, port: port1 }, { transfer: [port1] });
    const [learned] = await Promise.all([run.learn(port2, machine.threads), giving]);
    return learned;
  });
}

export function resume(run: Run): Promise<void> {
  return finish(run, () => run.resume());
}

/** Ends a run for good; the model that it has so far stays. */
export function stop(run: Run): void {
  run.end();
  run.status = run.facts ? 'done' : 'failed';
}

export async function openModel(file: File): Promise<void> {
  const { view } = place;
  await notices.trying(async () => {
    const run = new Run(studio.freeId('r'), file.name.replace(/\.safetensors$/i, ''), studio.data?.id);
    run.bytes = new Uint8Array(await file.arrayBuffer());
    await adopt(run, file.name);
    studio.runs = [...studio.runs, run];
    studio.select({ run: run.id });
    // Whoever has gone elsewhere while it was read stays there.
    if (place.view === view) place.go('look');
  });
}

/** A model that was kept comes back. */
export async function restore({ id, name, data, settings, bytes }: KeptRun): Promise<void> {
  const run = new Run(id, name, data, settings);
  run.bytes = bytes;
  await notices.trying(async () => {
    run.become(await desk.ask('adopt', { id, name, bytes }));
    studio.runs = [...studio.runs, run];
  });
}

/** Deletes a run and its model: what the page no longer shows, the browser no longer keeps. */
export async function remove(run: Run): Promise<void> {
  run.end();
  await kept.removeRun(run.id).catch(() => undefined);
  studio.runs = studio.runs.filter((one) => one !== run);
  if (!studio.run) studio.select({ run: studio.runs.at(-1)?.id ?? '' });
  await desk.ask('drop', { id: run.id });
}

async function finish(run: Run, work: () => Promise<Learned>): Promise<void> {
  try {
    const { bytes, paused } = await work();
    if (bytes) {
      run.bytes = bytes;
      await adopt(run);
    }
    run.status = paused ? 'paused' : bytes ? 'done' : 'failed';
  } catch (error) {
    stop(run);
    if ((error as Error).name === 'AbortError') return;
    run.fault = sentence(error);
    notices.say('problem', `${run.name} stopped: ${run.fault}`);
  }
}

/** Puts a model on the desk, and keeps it; it counts as learned once both are done. */
async function adopt(run: Run, file = run.name): Promise<void> {
  const { id, name, data, settings, bytes } = run;
  const facts = await desk.ask('adopt', { id, name: file, bytes: bytes! });
  await kept.putRun({ id, name, data, settings, bytes: bytes! }).catch(() => {
    notices.say(
      'problem',
      'This browser could not keep the model. Save it under "Take away" before you leave the page.',
    );
  });
  run.become(facts);
}

function nameOf({ H, encoding }: LearnSettings): string {
  const what = encoding === 'bits' ? 'bit' : 'number';
  const kind = encoding === 'bits' || encoding === 'box' ? '' : `, ${encoding}`;
  return `${H} ${what}${H === 1 ? '' : 's'}${kind}`;
}

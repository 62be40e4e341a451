import type { OpenOptions } from 'pc-ae/formats';
import type { DataFacts, Origin } from '../work/desk/calls.ts';
import { WorkFault } from './client.ts';
import { desk } from './desk.svelte.ts';
import { notices, sentence } from './notices.svelte.ts';
import { kept, MOST_KEPT } from './storage.ts';
import { studio } from './studio.svelte.ts';

/** Opening rows: from files, in the way that was concluded or declared, or generated. */

export function openDigits(id = studio.freeId('d'), n = 2000): Promise<DataFacts | undefined> {
  return openFrom(id, { from: 'digits', n }, 'generated digits');
}

/** Reads rows; those dropped beside a model alone are read as its own. */
export function openRows(file: File): Promise<DataFacts | undefined> {
  const like = studio.sets.length === 0 ? studio.model?.id : undefined;
  const origin: Origin = { from: 'file', file, options: {}, ...(like && { like }) };
  return openFrom(studio.freeId('d'), origin, file.name);
}

/** Reads the same rows in another way. */
export async function reread(id: string, options: OpenOptions): Promise<DataFacts | undefined> {
  const origin = studio.origins.get(id);
  return origin?.from === 'file' ? openFrom(id, { ...origin, options }, origin.file.name) : undefined;
}

export function optionsOf(id: string): OpenOptions {
  const origin = studio.origins.get(id);
  return origin?.from === 'file' ? origin.options : {};
}

export async function addLabels(file: File): Promise<void> {
  const { data } = studio;
  if (!data) {
    notices.say('problem', `${file.name} looks like labels. Open the rows that they belong to first.`);
    return;
  }
  await notices.trying(async () => {
    studio.put(await desk.ask('label', { id: data.id, file }));
    const origin = studio.origins.get(data.id);
    if (origin?.from === 'file') await remember(data.id, { ...origin, labels: file }, data.name);
    notices.say('news', `Labels of ${file.name} were added: the map can be coloured by them.`);
  });
}

export async function closeRows(id: string): Promise<void> {
  await kept.removeSet(id).catch(() => undefined);
  studio.sets = studio.sets.filter((one) => one.id !== id);
  if (!studio.data) studio.select({ data: studio.sets.at(-1)?.id ?? '' });
  await desk.ask('close', { id });
}

/** Reads rows under an id; a table that can be read in several ways becomes a question. */
export async function openFrom(id: string, origin: Origin, name: string): Promise<DataFacts | undefined> {
  desk.busy = `reading ${name}`;
  try {
    const facts = await desk.ask('open', { id, origin });
    studio.put(facts);
    studio.select({ data: id });
    notices.settle();
    void remember(id, origin, name);
    return facts;
  } catch (error) {
    askHow(error, id, origin);
    return undefined;
  } finally {
    desk.busy = '';
  }
}

async function remember(id: string, origin: Origin, name: string): Promise<void> {
  studio.origins.set(id, origin);
  const small = origin.from !== 'file' || origin.file.size <= MOST_KEPT;
  if (small) await kept.putSet({ id, name, origin }).catch(() => undefined);
}

/** A table that left its reading open becomes a question; everything else is a problem. */
function askHow(error: unknown, id: string, origin: Origin): void {
  const candidates = error instanceof WorkFault ? error.candidates : undefined;
  if (!candidates || origin.from !== 'file') {
    notices.say('problem', sentence(error));
    return;
  }
  const { file, options } = origin;
  const answers = candidates.map(({ flags, reading }) => ({
    label: reading,
    detail: flags,
    act: async () => {
      const { answered } = await import('./reading.ts');
      await openFrom(id, { ...origin, options: answered(options, flags) }, file.name);
    },
  }));
  notices.say('question', sentence(error).replace(/ Use .*$/s, ' How is it meant?'), answers);
}

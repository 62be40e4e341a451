import { type Found, whatThereIs } from './ahead.ts';
import { DEFAULTS, learn, openModel, restore } from './learning.ts';
import { notices } from './notices.svelte.ts';
import { place } from './place.svelte.ts';
import { addLabels, openDigits, openFrom, openRows } from './rows.ts';
import { kept } from './storage.ts';
import { studio } from './studio.svelte.ts';

/** What a visitor sees first: soon over, and within a fraction of a nat of what longer learning gives. */
const FIRST = { ...DEFAULTS, epochs: 60 };

/** What was kept, what the server opened, or else generated digits, which are learned at once. */
export async function begin(): Promise<void> {
  const addressed = place.begin();
  const { view } = place;
  const { opened, ...before } = await whatThereIs();
  const { files, lost } = opened;
  await restoreAll(before);
  if (files.length > 0) {
    // After a reload they are here already.
    const fresh = files.filter(
      (file) => ![...studio.origins.values()].some((origin) => 'file' in origin && same(origin.file, file)),
    );
    await openFiles(fresh);
    const elsewhere = addressed || place.view !== view;
    if (fresh.some(({ name }) => !isModel(name)) && !elsewhere) place.go('data');
  } else if (studio.sets.length === 0 && studio.runs.length === 0) {
    const id = studio.freeId('d');
    await Promise.all([openDigits(id), learn(FIRST, id)]);
  }
  for (const name of lost)
    notices.say('problem', `${name} can no longer be read: it has been moved or deleted.`);
}

/** Takes files that were dropped or chosen: models, labels of the rows, or rows. */
export async function openFiles(files: readonly File[]): Promise<void> {
  const isLabels = ({ name }: File) => /labels|\.lab$/i.test(name);
  for (const file of files) {
    if (isModel(file.name)) await openModel(file);
    else if (!isLabels(file)) await openRows(file);
  }
  for (const file of files.filter(isLabels)) await addLabels(file);
}

export function isModel(name: string): boolean {
  return /\.safetensors$/i.test(name);
}

/** Deletes everything that the browser keeps of the studio. */
export async function forget(): Promise<void> {
  await notices.trying(async () => {
    await kept.clear();
    notices.say(
      'news',
      'Models and rows kept in this browser were deleted. What is open stays until the page is closed.',
    );
  });
}

async function restoreAll({ sets, runs }: Omit<Found, 'opened'>): Promise<void> {
  const wanted = { data: place.data, run: place.run };
  for (const { id, origin, name } of sets) {
    // Generated digits without a model are as good when they are generated anew.
    const idle = origin.from === 'digits' && runs.every(({ data }) => data !== id);
    if (idle) await kept.removeSet(id).catch(() => undefined);
    else await openFrom(id, origin, name);
  }
  for (const run of runs) await restore(run);
  const run = studio.runs.find(({ id }) => id === wanted.run) ?? studio.runs.at(-1);
  if (run) studio.select({ run: run.id });
  if (studio.sets.some(({ id }) => id === wanted.data)) studio.select({ data: wanted.data });
}

function same(a: File, b: File): boolean {
  return a.name === b.name && a.size === b.size;
}

import type { OpenOptions } from 'pc-ae/formats';
import type { DataFacts, DeskCalls, Origin } from '../work/desk/calls.ts';
import type { Learned, LearnSettings, Where } from '../work/run/calls.ts';
import { type Address, readAddress, type View, writeAddress } from './address.ts';
import { Client, WorkFault } from './client.ts';
import { openedByServer } from './opened.ts';
import { Run } from './run.svelte.ts';
import { kept, MOST_KEPT } from './storage.ts';

/** Something to say: what went wrong and what to do, or a question with its answers. */
export interface Notice {
  readonly id: number;
  readonly kind: 'problem' | 'question' | 'news';
  readonly message: string;
  readonly answers: readonly { readonly label: string; readonly detail?: string; act(): void }[];
}

/** Everything that the page knows: rows, runs, what is chosen, and what has to be said. */
class Studio {
  view = $state<View>('learn');
  /** What views keep in the address beside what is chosen. */
  choices = $state<Record<string, string>>({});
  sets = $state.raw<readonly DataFacts[]>([]);
  runs = $state.raw<readonly Run[]>([]);
  dataId = $state('');
  runId = $state('');
  notices = $state.raw<readonly Notice[]>([]);
  /** What the desk is busy with, in words. */
  busy = $state('');
  threads = $state(1);
  readonly isolated = globalThis.crossOriginIsolated === true;
  desk = $state.raw(this.#newDesk());
  /** Rows chosen on the map or in the table. */
  selection = $state.raw<Uint32Array | undefined>();
  readonly #origins = new Map<string, Origin>();
  #next = 1;

  data = $derived(this.sets.find(({ id }) => id === this.dataId));
  run = $derived(this.runs.find(({ id }) => id === this.runId));
  /** The run whose model is shown, and the rows to show it with. */
  model = $derived(this.run?.facts ? this.run : undefined);

  constructor() {
    const cores = navigator.hardwareConcurrency || 1;
    this.threads = this.isolated ? Math.min(8, cores) : 1;
  }

  /** What was kept, what the server opened, or else generated digits, which are learned at once. */
  async begin(): Promise<void> {
    const addressed = location.hash.length > 2;
    this.#follow(readAddress(location.hash));
    addEventListener('hashchange', () => this.#follow(readAddress(location.hash)));
    const files = await openedByServer();
    await this.#restore();
    if (files.length > 0) {
      // After a reload they are here already.
      const known = (file: File) => [...this.#origins.values()].some((origin) => isFile(origin, file));
      const fresh = files.filter((file) => !known(file));
      await this.openFiles(fresh);
      if (fresh.some(({ name }) => !isModel(name)) && !addressed) this.go('data');
      return;
    }
    if (this.sets.length > 0 || this.runs.length > 0) return;
    const digits = await this.openDigits();
    if (digits && this.runs.length === 0) await this.learn(FIRST);
  }

  /** Goes to a view, and changes what the address says. */
  go(view: View, choices: Readonly<Record<string, string>> = {}): void {
    this.view = view;
    this.choices = { ...choices };
    this.#write(true);
  }

  /** Changes a choice of the present view. */
  choose(name: string, value: string | number | undefined): void {
    this.choices = { ...this.choices, [name]: value === undefined ? '' : String(value) };
    this.#write(false);
  }

  select(what: { readonly data?: string; readonly run?: string }): void {
    if (what.data !== undefined && what.data !== this.dataId) {
      this.dataId = what.data;
      this.selection = undefined;
    }
    if (what.run !== undefined) {
      this.runId = what.run;
      const { data } = this.run ?? {};
      if (data && this.sets.some(({ id }) => id === data) && this.dataId !== data) {
        this.dataId = data;
        this.selection = undefined;
      }
    }
    this.#write(false);
  }

  async openDigits(n = 2000): Promise<DataFacts | undefined> {
    return this.#open(this.#id('d'), { from: 'digits', n }, 'generated digits');
  }

  /** Takes files that were dropped or chosen: models, labels of the rows, or rows. */
  async openFiles(files: readonly File[]): Promise<void> {
    const labels: File[] = [];
    for (const file of files) {
      if (isModel(file.name)) await this.openModel(file);
      else if (/labels|\.lab$/i.test(file.name)) labels.push(file);
      else await this.openRows(file, {});
    }
    for (const file of labels) await this.addLabels(file);
  }

  /** Reads rows; a table that can be read in several ways becomes a question. */
  async openRows(file: File, options: OpenOptions, id = this.#id('d')): Promise<DataFacts | undefined> {
    const like = this.#alike(file) && this.model?.id;
    return this.#open(id, { from: 'file', file, options, ...(like && { like }) }, file.name);
  }

  /** Reads the same rows in another way. */
  async reread(id: string, options: OpenOptions): Promise<DataFacts | undefined> {
    const origin = this.#origins.get(id);
    if (origin?.from !== 'file') return undefined;
    return this.#open(id, { ...origin, options }, origin.file.name);
  }

  optionsOf(id: string): OpenOptions {
    const origin = this.#origins.get(id);
    return origin?.from === 'file' ? origin.options : {};
  }

  async addLabels(file: File): Promise<void> {
    const { data } = this;
    if (!data)
      return this.say('problem', `${file.name} looks like labels. Open the rows that they belong to first.`);
    await this.#trying(async () => {
      this.#put(await this.desk.ask('label', { id: data.id, file }));
      this.say('news', `Labels of ${file.name} were added: the map can be coloured by them.`);
    });
  }

  async openModel(file: File): Promise<void> {
    await this.#trying(async () => {
      const run = new Run(this.#id('r'), file.name.replace(/\.safetensors$/i, ''), this.data?.id);
      run.bytes = new Uint8Array(await file.arrayBuffer());
      await this.#adopt(run, file.name);
      this.runs = [...this.runs, run];
      this.select({ run: run.id });
      this.go('look');
    });
  }

  /** Learns a model of the rows that are open, beside the runs that there are. */
  async learn(settings: LearnSettings, where: Where = { threads: this.threads }): Promise<void> {
    const { data } = this;
    if (!data)
      return this.say(
        'problem',
        'There are no rows to learn from. Drop a file, or use the generated digits.',
      );
    const run = new Run(this.#id('r'), this.#name(runName(settings)), data.id, settings);
    this.runs = [...this.runs, run];
    this.select({ run: run.id });
    const { port1, port2 } = new MessageChannel();
    await this.#finish(run, async () => {
      await this.desk.ask('give', { id: data.id, port: port1 }, { transfer: [port1] });
      return run.learn(port2, where);
    });
  }

  resume(run: Run): Promise<void> {
    return this.#finish(run, () => run.resume());
  }

  async remove(run: Run): Promise<void> {
    run.end();
    this.runs = this.runs.filter((one) => one !== run);
    if (this.runId === run.id) this.select({ run: this.runs.at(-1)?.id ?? '' });
    await this.desk.ask('drop', { id: run.id });
    await kept.removeRun(run.id).catch(() => undefined);
  }

  async close(id: string): Promise<void> {
    this.sets = this.sets.filter((one) => one.id !== id);
    if (this.dataId === id) this.select({ data: this.sets.at(-1)?.id ?? '' });
    await this.desk.ask('close', { id });
    await kept.removeSet(id).catch(() => undefined);
  }

  /** Deletes everything that the browser keeps of the studio. */
  async forget(): Promise<void> {
    await kept.clear();
    this.say(
      'news',
      'Models and rows kept in this browser were deleted. What is open stays until the page is closed.',
    );
  }

  say(kind: Notice['kind'], message: string, answers: Notice['answers'] = []): void {
    const notice = { id: this.#next++, kind, message, answers };
    this.notices = [...this.notices.filter((one) => one.message !== message), notice];
    if (kind === 'news') setTimeout(() => this.dismiss(notice.id), 8000);
  }

  dismiss(id: number): void {
    this.notices = this.notices.filter((one) => one.id !== id);
  }

  /** Runs something, and says what went wrong with it. */
  async trying<T>(work: () => Promise<T>): Promise<T | undefined> {
    return this.#trying(work);
  }

  async #trying<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if ((error as Error).name !== 'AbortError') this.say('problem', sentence(error));
      return undefined;
    }
  }

  async #open(id: string, origin: Origin, name: string): Promise<DataFacts | undefined> {
    this.busy = `reading ${name}`;
    try {
      const facts = await this.desk.ask('open', { id, origin: $state.snapshot(origin) as Origin });
      this.#origins.set(id, origin);
      this.#put(facts);
      this.select({ data: id });
      this.notices = this.notices.filter(({ kind }) => kind === 'news');
      const small = origin.from !== 'file' || origin.file.size <= MOST_KEPT;
      if (small)
        await kept.putSet({ id, name, origin: $state.snapshot(origin) as Origin }).catch(() => undefined);
      return facts;
    } catch (error) {
      this.#ask(error, id, origin);
      return undefined;
    } finally {
      this.busy = '';
    }
  }

  /** A table that left its reading open becomes a question; everything else is a problem. */
  #ask(error: unknown, id: string, origin: Origin): void {
    const candidates = error instanceof WorkFault ? error.candidates : undefined;
    if (!candidates || origin.from !== 'file') {
      this.say('problem', sentence(error));
      return;
    }
    const { file, options } = origin;
    const answers = candidates.map(({ flags, reading }) => ({
      label: reading,
      detail: flags,
      act: async () => {
        const { optionsOfFlags } = await import('./reading.ts');
        await this.#open(id, { ...origin, options: { ...options, ...optionsOfFlags(flags) } }, file.name);
      },
    }));
    this.say('question', (error as Error).message.replace(/ Say .*$/s, ' How is it meant?'), answers);
  }

  /** Whether rows of this file are for the model that is shown rather than for a new one. */
  #alike(_file: File): boolean {
    return this.sets.length === 0 && this.model !== undefined;
  }

  async #finish(run: Run, work: () => Promise<Learned>): Promise<void> {
    try {
      const { bytes, paused } = await work();
      if (bytes) {
        run.bytes = bytes;
        await this.#adopt(run);
      }
      run.status = paused ? 'paused' : bytes ? 'done' : 'failed';
    } catch (error) {
      run.end();
      run.status = run.facts ? 'done' : 'failed';
      if ((error as Error).name === 'AbortError') return;
      run.fault = sentence(error);
      this.say('problem', `${run.name} stopped: ${run.fault}`);
    }
  }

  /** Puts a model on the desk, and keeps it. */
  async #adopt(run: Run, file = run.name): Promise<void> {
    const { id, name, data, bytes } = run;
    run.facts = await this.desk.ask('adopt', { id, name: file, bytes: bytes! });
    run.remember(run.facts.training.history);
    run.status = 'done';
    const settings = $state.snapshot(run.settings);
    await kept.putRun({ id, name, data, settings, bytes: bytes! }).catch(() => {
      this.say(
        'problem',
        'This browser keeps no models: save the model under "Take away" before you leave the page.',
      );
    });
  }

  async #restore(): Promise<void> {
    const [sets, runs] = await Promise.all([kept.sets(), kept.runs()]).catch(() => [[], []] as const);
    const wanted = { data: this.dataId, run: this.runId };
    for (const { id, origin, name } of sets) {
      if (origin.from === 'digits' && runs.every(({ data }) => data !== id)) {
        await kept.removeSet(id).catch(() => undefined);
        continue;
      }
      await this.#open(id, origin, name);
    }
    for (const { id, name, data, settings, bytes } of runs) {
      const run = new Run(id, name, data, settings);
      run.bytes = bytes;
      await this.#trying(async () => {
        run.facts = await this.desk.ask('adopt', { id, name, bytes });
        run.remember(run.facts.training.history);
        run.fraction = 1;
        run.seconds = run.facts.training.seconds;
        run.status = 'done';
        this.runs = [...this.runs, run];
      });
    }
    const run = this.runs.find(({ id }) => id === wanted.run) ?? this.runs.at(-1);
    if (run) this.select({ run: run.id });
    if (this.sets.some(({ id }) => id === wanted.data)) this.select({ data: wanted.data });
  }

  #put(facts: DataFacts): void {
    const others = this.sets.filter(({ id }) => id !== facts.id);
    this.sets = [...others, facts];
  }

  /** A desk that dies is replaced, and gets everything again. */
  #newDesk(): Client<DeskCalls> {
    const desk = new Client<DeskCalls>('desk');
    desk.onDeath = async () => {
      const next = this.#newDesk();
      for (const { id } of this.sets) {
        const origin = this.#origins.get(id);
        if (origin) await this.#trying(() => next.ask('open', { id, origin }));
      }
      for (const { id, name, bytes } of this.runs)
        if (bytes) await this.#trying(() => next.ask('adopt', { id, name, bytes }));
      this.desk = next;
      this.say(
        'problem',
        'The worker that holds your rows stopped, perhaps for want of memory. It was started again; your models are safe.',
      );
    };
    return desk;
  }

  #follow({ view, choices }: Address): void {
    const { data, run, ...rest } = choices;
    this.view = view;
    this.choices = rest;
    if (run && run !== this.runId) this.runId = run;
    if (data && data !== this.dataId) this.dataId = data;
  }

  #write(push: boolean): void {
    const address = writeAddress({
      view: this.view,
      choices: { data: this.dataId, run: this.runId, ...this.choices },
    });
    if (push) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  }

  /** A name that no other run has. */
  #name(wanted: string): string {
    const taken = new Set(this.runs.map(({ name }) => name));
    let [name, number] = [wanted, 1];
    while (taken.has(name)) name = `${wanted} (${++number})`;
    return name;
  }

  #id(kind: string): string {
    const taken = new Set([...this.sets, ...this.runs].map(({ id }) => id));
    let number = 1;
    while (taken.has(`${kind}${number}`) || this.#origins.has(`${kind}${number}`)) number++;
    return `${kind}${number}`;
  }
}

/** How is learned unless somebody says otherwise. */
export const DEFAULTS: LearnSettings = {
  ...{ H: 16, encoding: 'box', loss: 'cross-entropy', validation: 0.1, calibrate: 0.1, seed: 1 },
};

/** What a visitor sees first: soon over, and within a fraction of a nat of what longer learning gives. */
const FIRST: LearnSettings = { ...DEFAULTS, epochs: 60 };

function runName({ H, encoding }: LearnSettings): string {
  return encoding === 'bits' ? `${H} bits` : `${H} numbers${encoding === 'box' ? '' : `, ${encoding}`}`;
}

export function isModel(name: string): boolean {
  return /\.safetensors$/i.test(name);
}

function isFile(origin: Origin, { name, size }: File): boolean {
  return origin.from === 'file' && origin.file.name === name && origin.file.size === size;
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export const studio = new Studio();

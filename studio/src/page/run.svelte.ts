import type { HistoryEntry } from 'pc-ae';
import type { ModelFacts } from '../work/desk/calls.ts';
import type { Learned, LearnSettings, Preview, RunCalls, Told } from '../work/run/calls.ts';
import { takeRun } from './ahead.ts';
import type { Client } from './client.ts';

export type Status =
  | 'starting'
  | 'learning'
  | 'refining'
  | 'proving'
  | 'promising'
  | 'paused'
  | 'done'
  | 'failed';

/** A point of a run's curves. */
export interface Point {
  readonly epoch: number;
  readonly seconds: number;
  readonly loss: number;
  readonly validation?: number;
  readonly gap?: number;
}

/** A run of learning, or a model that was dropped: what is shown of it, and its worker while it has one. */
export class Run {
  readonly id: string;
  /** The rows it learned from. */
  readonly data?: string;
  readonly settings?: LearnSettings;
  /** What a visitor sees first: learning waits until its first preview is on the screen. */
  waits = false;
  name = $state('');
  status = $state<Status>('starting');
  fault = $state('');
  fraction = $state(0);
  epoch = $state(0);
  seconds = $state(0);
  rowsPerSecond = $state(0);
  engine = $state('');
  /** The epochs that are over. */
  history = $state.raw<readonly Point[]>([]);
  /** What was told of the loss on the way. */
  told = $state.raw<readonly Point[]>([]);
  /** Epochs, once there are enough of them to be a curve; their losses settle only at their ends. */
  points = $derived(this.history.length >= FEW || this.told.length === 0 ? this.history : this.told);
  preview = $state.raw<Preview | undefined>();
  /** Whether the first preview is on the screen. */
  drawn = $state(false);
  facts = $state.raw<ModelFacts | undefined>();
  /** The model's file. */
  bytes?: Uint8Array<ArrayBuffer>;
  #client?: Client<RunCalls>;
  #stop?: AbortController;

  constructor(id: string, name: string, data?: string, settings?: LearnSettings) {
    this.id = id;
    this.name = name;
    this.data = data;
    this.settings = settings;
  }

  get live(): boolean {
    return ['starting', 'learning', 'refining', 'proving', 'promising'].includes(this.status);
  }

  /** Seconds until the last epoch ends, as far as that can be told. */
  get left(): number | undefined {
    if (this.status !== 'learning' || this.fraction < 0.02) return undefined;
    return (this.seconds * (1 - this.fraction)) / this.fraction;
  }

  /** Epochs that are over. */
  get epochs(): number {
    return this.status === 'done' && this.facts ? this.facts.training.epochs : this.epoch;
  }

  get last(): Point | undefined {
    return this.points.at(-1);
  }

  #remember(history: readonly HistoryEntry[]): void {
    this.history = history.map(({ epoch, seconds, loss, validation, meanGap }) => ({
      epoch,
      seconds,
      loss,
      validation,
      gap: meanGap,
    }));
  }

  /** It has a model: the desk read it. */
  become(facts: ModelFacts): void {
    this.facts = facts;
    this.#remember(facts.training.history);
    this.fraction = 1;
    this.seconds = facts.training.seconds;
    this.status = 'done';
  }

  /** Learns in a worker of its own; gives the model's file, also where it was stopped half-way. */
  learn(port: MessagePort, threads: number): Promise<Learned> {
    const client = takeRun(threads);
    this.#client = client;
    const settings = $state.snapshot(this.settings)!;
    return this.#work((options) =>
      client.ask('learn', { port, settings, threads, waits: this.waits }, { ...options, transfer: [port] }),
    );
  }

  resume(): Promise<Learned> {
    return this.#work((options) => this.#client!.ask('resume', null, options));
  }

  /** Stops learning; the worker keeps what it needs to go on. */
  pause(): void {
    this.#stop?.abort();
  }

  /** Lets the worker go. */
  end(): void {
    this.#client?.end();
    this.#client = undefined;
  }

  get canGoOn(): boolean {
    return this.status === 'paused' && this.#client !== undefined;
  }

  async #work(
    ask: (options: { signal: AbortSignal; onTell: (told: Told) => void }) => Promise<Learned>,
  ): Promise<Learned> {
    this.#stop = new AbortController();
    this.status = this.told.length > 0 ? 'learning' : 'starting';
    const learned = await ask({ signal: this.#stop.signal, onTell: (told) => this.#hear(told) });
    if (!learned.paused) this.end();
    return learned;
  }

  #show(preview: Preview): void {
    const first = this.preview === undefined;
    this.preview = preview;
    if (!first) return;
    // The second frame begins when the first was drawn. A hidden page draws none.
    if (document.hidden) this.#drawn();
    else requestAnimationFrame(() => requestAnimationFrame(() => this.#drawn()));
  }

  #drawn(): void {
    this.drawn = true;
    this.#client?.ask('seen', null).catch(() => undefined);
  }

  #hear({ engine, progress, history, preview, calibrating }: Told): void {
    if (engine) this.engine = engine;
    if (preview) this.#show(preview);
    if (history) this.#remember(history);
    if (calibrating !== undefined) this.status = 'promising';
    if (!progress) return;
    this.status = ENDING[progress.phase] ?? 'learning';
    const { fraction, epoch, loss, validation, meanGap: gap, rowsPerSecond, seconds } = progress;
    this.fraction = fraction;
    this.epoch = epoch;
    this.seconds = seconds;
    if (rowsPerSecond > 0) this.rowsPerSecond = rowsPerSecond;
    if (progress.phase === 'learn' && Number.isFinite(loss))
      this.told = [...this.told.slice(-MOST), { epoch, seconds, loss, validation, gap }];
  }
}

/** What a run does after its last epoch. */
const ENDING: Readonly<Record<string, Status | undefined>> = { refine: 'refining', finish: 'proving' };
const FEW = 12;
const MOST = 400;

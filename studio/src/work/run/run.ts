import type { Checkpoint, Engine, FitOptions, PCAE } from 'pc-ae';
import { calibrate, crossEntropy, fit, hamming, holdOut, squared } from 'pc-ae';
import { entry, type Rows, sliceRows, takeRows } from 'pc-ae/rows';
import type { Context, Doers } from '../protocol.ts';
import { thinned } from '../thin.ts';
import type { Learned, LearnSettings, RunCalls, Told } from './calls.ts';
import { previewOf } from './preview.ts';
import { engineFor, startThreads } from './where.ts';

/** The worker of one run: it has the rows, an engine and, once it was paused, the state to go on from. */
interface State {
  readonly settings: LearnSettings;
  readonly engine: Engine;
  readonly threads: number;
  readonly training: Rows;
  readonly kept?: Rows;
  readonly waits: boolean;
  checkpoint?: Checkpoint;
}

/** Called when the page has drawn the first preview. */
let goOn = () => {};
let state: State | undefined;

export const run: Doers<RunCalls> = {
  prepare({ threads }) {
    void startThreads(threads);
  },
  async learn({ port, settings, threads, waits }, context) {
    const rows = await received(port);
    const engine = await engineFor(rows, settings, LOSSES[settings.loss], threads);
    context.tell({ engine: inWords(engine) });
    const { calibrate: share, seed } = settings;
    const parts = share > 0 && rows.n > 1 ? holdOut(rows.n, share, seed) : undefined;
    state = {
      ...{ settings, engine, threads, waits },
      training: parts ? takeRows(rows, parts.kept) : rows,
      kept: parts && takeRows(rows, parts.held),
    };
    return learn(state, context);
  },
  resume(_, context) {
    if (!state) throw new Error('There is nothing to continue from. Start a new run.');
    return learn(state, context, state.checkpoint);
  },
  seen() {
    goOn();
  },
};

function inWords({ name, threads }: Engine): string {
  return name.startsWith('gpu') ? name : `${name}, ${threads} ${threads === 1 ? 'thread' : 'threads'}`;
}

function received(port: MessagePort): Promise<Rows> {
  return new Promise((resolve) => {
    port.onmessage = ({ data }: MessageEvent<Rows>) => {
      port.close();
      resolve(data);
    };
  });
}

async function learn(state: State, context: Context<Told>, resume?: Checkpoint): Promise<Learned> {
  const { settings, engine, training, kept } = state;
  const { signal, tell } = context;
  const examples = sliceRows(training, 0, Math.min(EXAMPLES, training.n));
  const loss = LOSSES[settings.loss];
  const options: FitOptions = {
    ...{ H: settings.H, encoding: settings.encoding, seed: settings.seed, epochs: settings.epochs },
    ...{ loss, timeBudget: settings.time, engine, signal, resume, partial: true },
    ...(settings.validation > 0 && training.n > 9 && { validation: settings.validation }),
    ...forFilling(settings, training),
    onProgress: (progress) => tell({ progress }),
    checkpoint: {
      // The first look is the one that is waited for.
      get every() {
        return state.checkpoint ? Math.max(EVERY, (training.n * settings.H) / STEADY) : 0;
      },
      async save(checkpoint) {
        const first = state.checkpoint === undefined;
        state.checkpoint = checkpoint;
        tell({ history: thinned(checkpoint.progress.history) });
        if (signal.aborted) return;
        tell({ preview: await previewOf(checkpoint, examples, settings, loss, engine) });
        if (first && state.waits) await drawn();
      },
    },
  };
  try {
    const model = await fit(training, options);
    const paused = model.training.stopped === 'aborted';
    const ready = paused || !kept ? model : await promising(model, kept, state, context);
    return { bytes: ready.save(), paused };
  } catch (error) {
    // Stopped while the ridge was still chosen, say: there is no model yet, and going on begins anew.
    if (signal.aborted) return { paused: true };
    throw error;
  }
}

/** Lets the page draw the first preview: threads that learn may leave it no core to do so. */
function drawn(): Promise<void> {
  return new Promise((resolve) => {
    goOn = resolve;
    setTimeout(resolve, PATIENCE);
  });
}

/**
 * As on the command line, a table with gaps is learned so that they can be filled in, where nobody says
 * otherwise.
 */
function forFilling(
  { ridge, time, encoding, validation }: LearnSettings,
  training: Rows,
): Pick<FitOptions, 'ridge' | 'validation'> {
  const usual = ridge === undefined && time === undefined && encoding !== 'bits';
  // Hidden entries are those of rows held out.
  if (!usual || training.n < 2 || !hasGaps(sliceRows(training, 0, Math.min(FIRST_ROWS, training.n))))
    return { ridge };
  return { ridge: 'auto', validation: validation > 0 ? validation : SHARE };
}

function hasGaps(rows: Rows): boolean {
  for (let k = 0; k < rows.n * rows.V; k++) {
    if (Number.isNaN(entry(rows, Math.floor(k / rows.V), k % rows.V))) return true;
  }
  return false;
}

/** Rows that are looked at for gaps, and the share of them all that a ridge is chosen on. */
const FIRST_ROWS = 1024;
const SHARE = 0.1;

/** Promises need more kinds of proofs than a graphics card gives: threads find them. */
async function promising(
  model: PCAE,
  kept: Rows,
  { threads, settings }: State,
  context: Context<Told>,
): Promise<PCAE> {
  const engine = await startThreads(threads);
  const onProgress = (calibrating: number) => context.tell({ calibrating });
  return calibrate(model, kept, { engine, signal: context.signal, seed: settings.seed, onProgress });
}

const LOSSES = { 'cross-entropy': crossEntropy, squared, hamming };

/** Rows that are shown while a run learns. */
const EXAMPLES = 12;
/**
 * Seconds between two looks at what is learned; more where there is more to copy, by so many numbers per
 * second.
 */
const EVERY = 0.2;
const STEADY = 1e7;
/** Milliseconds that learning waits for the page to draw. */
const PATIENCE = 2000;

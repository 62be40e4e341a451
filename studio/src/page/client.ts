import type { Alive, Answer, Ask, Call, Fault, Stop } from '../work/protocol.ts';

/** The page's end of a worker: asks, hears of progress, stops, and learns when the worker has died. */
export class Client<C> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;
  #dead?: Error;
  /** Called once, when the worker dies. */
  onDeath?: (why: Error) => void;

  constructor(role: 'desk' | 'run') {
    const name = `${role} ${crypto.randomUUID()}`;
    this.#worker = new Worker(new URL('../work/worker.ts', import.meta.url), { type: 'module', name });
    this.#worker.onmessage = ({ data }: MessageEvent<Answer | Alive>) => {
      if ('alive' in data) this.#watch(name);
      else this.#hear(data);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#die(new Error(`The worker stopped: ${event.message || 'it could not be started'}.`));
    };
    this.#worker.onmessageerror = () =>
      this.#die(
        new Error(
          'The worker sent a message that the page cannot read. Reload the page; learned models are kept.',
        ),
      );
  }

  ask<K extends keyof C & string>(
    call: K,
    given: C[K] extends Call<infer G> ? G : never,
    options: Asking<C[K] extends Call<unknown, unknown, infer T> ? T : never> = {},
  ): Promise<C[K] extends Call<never, infer R> ? R : C[K] extends Call<infer _, infer R> ? R : never> {
    const { signal, onTell, transfer = [] } = options;
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      if (this.#dead) return reject(this.#dead);
      if (signal?.aborted) return reject(signal.reason);
      this.#waiting.set(id, {
        resolve: resolve as Waiting['resolve'],
        reject,
        tell: onTell as Waiting['tell'],
      });
      signal?.addEventListener('abort', () => this.#worker.postMessage({ id, stop: true } satisfies Stop));
      this.#worker.postMessage({ id, call, given } satisfies Ask, transfer);
    });
  }

  /** Ends the worker; whoever waits for it hears why. */
  end(why = new DOMException('stopped', 'AbortError') as Error): void {
    this.onDeath = undefined;
    this.#die(why);
  }

  /**
   * The worker holds a lock of this name for as long as it lives: whoever gets it next knows that it is dead.
   */
  #watch(name: string): void {
    void navigator.locks.request(name, () => {
      this.#die(
        new Error('The worker ended, perhaps because memory ran out. Try fewer rows or a smaller code.'),
      );
    });
  }

  #hear(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    if (!waiting) return;
    if ('tells' in answer) {
      waiting.tell?.(answer.tells);
      return;
    }
    this.#waiting.delete(answer.id);
    if ('gives' in answer) waiting.resolve(answer.gives);
    else waiting.reject(new WorkFault(answer.fault));
  }

  #die(why: Error): void {
    if (this.#dead) return;
    this.#dead = why;
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(why);
    this.#waiting.clear();
    this.onDeath?.(why);
  }
}

interface Asking<T> {
  readonly signal?: AbortSignal;
  readonly onTell?: (progress: T) => void;
  readonly transfer?: Transferable[];
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  tell?(progress: unknown): void;
}

/** A fault of a worker, on the page. */
export class WorkFault extends Error {
  readonly candidates: Fault['candidates'];

  constructor({ name, message, candidates }: Fault) {
    super(message);
    this.name = name;
    this.candidates = candidates;
  }
}

/**
 * How the page and its workers talk. A call has a number, may tell of its progress, can be stopped, and ends
 * once: with what it gives or with a fault. Nothing else is ever sent.
 */
export type Ask = { readonly id: number; readonly call: string; readonly given: unknown };
export type Stop = { readonly id: number; readonly stop: true };
export type Answer =
  | { readonly id: number; readonly tells: unknown }
  | { readonly id: number; readonly gives: unknown }
  | { readonly id: number; readonly fault: Fault };

/**
 * Said once, by a worker that holds the lock of its own name: a page that gets that lock knows that the
 * worker died.
 */
export type Alive = { readonly alive: true };

/** What went wrong, as a sentence, and the readings to choose from where a table left one open. */
export interface Fault {
  readonly name: string;
  readonly message: string;
  readonly candidates?: readonly { readonly flags: string; readonly reading: string }[];
}

/** A call: what it is given, what it gives, what it tells on the way. */
export interface Call<G = unknown, R = unknown, T = unknown> {
  readonly given: G;
  readonly gives: R;
  readonly tells: T;
}

/** What a call may use besides what it is given. */
export interface Context<T = unknown> {
  readonly signal: AbortSignal;
  tell(progress: T): void;
}

/** The functions that do the calls of a worker. */
export type Doers<C> = {
  readonly [K in keyof C]: C[K] extends Call<infer G, infer R, infer T>
    ? (given: G, context: Context<T>) => Promise<R> | R
    : never;
};

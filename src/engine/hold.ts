/** Something of an engine's memory: numbers or rows. */
export interface Freeable {
  free(): void;
}

/** Takes note of what was made, and returns it. */
export type Hold = <T extends Freeable>(made: T) => T;

/** Runs `work` and then gives back all of the engine's memory that it held, also where it failed half-way. */
export async function holding<T>(work: (hold: Hold) => Promise<T>): Promise<T> {
  const { hold, free } = holder();
  try {
    return await work(hold);
  } finally {
    free();
  }
}

/** The same in two parts, for what is more than one function long: call `free` in a `finally`. */
export function holder(): { readonly hold: Hold; free(): void } {
  const held: Freeable[] = [];
  return {
    hold(made) {
      held.push(made);
      return made;
    },
    free() {
      for (const each of held.splice(0)) each.free();
    },
  };
}

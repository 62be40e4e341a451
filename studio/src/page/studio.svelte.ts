import type { DataFacts, Origin } from '../work/desk/calls.ts';
import { place } from './place.svelte.ts';
import type { Run } from './run.svelte.ts';

/**
 * Everything that is open: rows, runs, and which of them are looked at. Views read it; rows.ts and
 * learning.ts change it.
 */
class Studio {
  sets = $state.raw<readonly DataFacts[]>([]);
  runs = $state.raw<readonly Run[]>([]);
  /** Rows chosen on the map or in the table. */
  selection = $state.raw<Uint32Array | undefined>();
  /** Where each set of rows came from, which is how it comes back. */
  readonly origins = new Map<string, Origin>();

  data = $derived(this.sets.find(({ id }) => id === place.data));
  run = $derived(this.runs.find(({ id }) => id === place.run));
  /** The run, once it has a model. */
  model = $derived(this.run?.facts ? this.run : undefined);
  /** The rows, where they are rows for the model. */
  rows = $derived(this.model?.facts && this.data?.V === this.model.facts.V ? this.data : undefined);

  /** Chooses rows, or a run together with the rows that it was learned from. */
  select({ data, run }: { readonly data?: string; readonly run?: string }): void {
    if (run !== undefined) place.run = run;
    const own = run === undefined ? undefined : this.run?.data;
    const wanted = data ?? (this.sets.some(({ id }) => id === own) ? own : undefined);
    if (wanted !== undefined && wanted !== place.data) {
      place.data = wanted;
      this.selection = undefined;
    }
    place.write();
  }

  /** Rows that are new, or were read in another way. */
  put(facts: DataFacts): void {
    this.sets = [...this.sets.filter(({ id }) => id !== facts.id), facts];
  }

  /** An id that nothing else has: d1, d2, ... of rows, r1, r2, ... of runs. */
  freeId(kind: 'd' | 'r'): string {
    const taken = new Set([
      ...this.sets.map(({ id }) => id),
      ...this.runs.map(({ id }) => id),
      ...this.origins.keys(),
    ]);
    let number = 1;
    while (taken.has(`${kind}${number}`)) number++;
    return `${kind}${number}`;
  }

  /** A name that no other run has. */
  freeName(wanted: string): string {
    const taken = new Set(this.runs.map(({ name }) => name));
    let [name, number] = [wanted, 1];
    while (taken.has(name)) name = `${wanted} (${++number})`;
    return name;
  }
}

export const studio = new Studio();

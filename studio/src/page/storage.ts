import type { Origin } from '../work/desk/calls.ts';
import type { LearnSettings } from '../work/run/calls.ts';

/** What outlives a reload, in the browser's storage: learned models and their training rows. */
export interface KeptSet {
  readonly id: string;
  readonly name: string;
  readonly origin: Origin;
}

export interface KeptRun {
  readonly id: string;
  readonly name: string;
  readonly data?: string;
  readonly settings?: LearnSettings;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Rows of larger files are not kept: their model is. */
export const MOST_KEPT = 2 ** 28;

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('pc-ae-studio', 1);
    request.onupgradeneeded = () => {
      for (const name of ['sets', 'runs']) request.result.createObjectStore(name, { keyPath: 'id' });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

async function inStore<T>(
  name: 'sets' | 'runs',
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const transaction = (await database()).transaction(name, mode);
  const request = work(transaction.objectStore(name));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}

export const kept = {
  sets: (): Promise<KeptSet[]> => inStore('sets', 'readonly', (store) => store.getAll()),
  runs: (): Promise<KeptRun[]> => inStore('runs', 'readonly', (store) => store.getAll()),
  putSet: (set: KeptSet) => inStore('sets', 'readwrite', (store) => store.put(set)),
  putRun: (run: KeptRun) => inStore('runs', 'readwrite', (store) => store.put(run)),
  removeSet: (id: string) => inStore('sets', 'readwrite', (store) => store.delete(id)),
  removeRun: (id: string) => inStore('runs', 'readwrite', (store) => store.delete(id)),
  async clear(): Promise<void> {
    await inStore('sets', 'readwrite', (store) => store.clear());
    await inStore('runs', 'readwrite', (store) => store.clear());
  },
};

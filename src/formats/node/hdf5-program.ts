/**
 * The thread in which the HDF5 library reads. Its program is a string, so that it needs no file of its own,
 * in a bundle or in a test. It answers one question after the other; `beats` counts the places of the file
 * that a question has reached for the first time, which is how whoever asks can tell work from a loop.
 */
export interface ReaderTask {
  /** Where the library is. */
  readonly library: string;
  readonly beats: SharedArrayBuffer;
}

export type Question =
  | { readonly ask: 'open'; readonly path: string; readonly memory: number }
  | { readonly ask: 'at'; readonly place: string }
  | { readonly ask: 'attribute'; readonly place: string; readonly name: string }
  | { readonly ask: 'numbers'; readonly place: string; readonly start: number; readonly end: number }
  | { readonly ask: 'words'; readonly place: string }
  | { readonly ask: 'close' };

/** `full`: the library wanted more memory than it may have; `broken`: it cannot be asked anything else. */
export type Answer =
  | { readonly value: unknown }
  | { readonly error: string; readonly full: boolean; readonly broken: boolean };

/** What is at a place. */
export type Place =
  | { readonly kind: 'group'; readonly names: string[] }
  | { readonly kind: 'array'; readonly shape: number[]; readonly type: number };

/** Bytes of a place of the file. */
const PAGE = 4096;

export const readerProgram = `
const fs = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const beats = new Int32Array(workerData.beats);

// The library prints how it ended; an error says so to whoever has asked.
console.log = console.warn = console.error = () => {};

// Places of the file that the present question has read. A loop in a damaged file reads the same ones again.
let places = new Set();
const { readSync } = fs;
fs.readSync = (file, buffer, offset, length, position) => {
  const place = Math.floor(position / ${PAGE});
  if (!places.has(place)) {
    places.add(place);
    Atomics.add(beats, 0, 1);
  }
  return readSync(file, buffer, offset, length, position);
};

// The library's memory grows by this alone; it can do with a refusal.
let memory = Infinity;
let full = false;
const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + 65536 * pages > memory) {
    full = true;
    throw new RangeError('more memory than it may have');
  }
  return grow.call(this, pages);
};

let file;
const loading = import(workerData.library).then(async (library) => {
  const module = await library.ready;
  // Errors are thrown, and not written to the terminal.
  module.activate_throwing_error_handler();
  return library;
});
loading.then(() => parentPort.postMessage('ready'));

parentPort.on('message', async (question) => {
  const library = await loading;
  places = new Set();
  full = false;
  try {
    const value = ANSWERS[question.ask](library, question);
    const own = ArrayBuffer.isView(value) && value.byteLength === value.buffer.byteLength;
    parentPort.postMessage({ value }, own ? [value.buffer] : []);
  } catch (error) {
    parentPort.postMessage({ error: String(error?.message), full, broken: full || error instanceof WebAssembly.RuntimeError });
  }
});

const ANSWERS = {
  open: (library, question) => {
    memory = question.memory;
    file = new library.File(question.path, 'r');
  },
  close: () => {
    file?.close();
    file = undefined;
  },
  at: (library, { place }) => {
    const node = found(library, place);
    if (node instanceof library.Dataset) return { kind: 'array', shape: node.shape || [], type: node.metadata.type };
    return node instanceof library.Group ? { kind: 'group', names: node.keys() } : undefined;
  },
  attribute: (library, { place, name }) => {
    return found(library, place).attrs[name]?.value;
  },
  numbers: (library, { place, start, end }) => {
    const array = found(library, place);
    const read = array.slice([[start, end], ...array.shape.slice(1).map(() => [])]);
    return typeof read[0] === 'bigint' ? Float64Array.from(read, Number) : read;
  },
  words: (library, { place }) => found(library, place).value,
};

// Looking for what is not there is an error of the library: each part of the path is looked for in the names.
function found(library, place) {
  let node = file;
  if (place === '') return node;
  for (const part of place.split('/')) {
    if (!(node instanceof library.Group) || !node.keys().includes(part)) return undefined;
    node = node.get(part);
  }
  return node;
}
`;

import type { Engine, PCAE } from 'pc-ae';
import { threadsEngine } from '../engine.ts';
import type { Doers } from '../protocol.ts';
import { principalAxes } from './axes.ts';
import type { DeskCalls } from './calls.ts';
import { Codes, comparable } from './codes.ts';
import { findNearest } from './find.ts';
import { layOut } from './layout.ts';
import { look, measure } from './look.ts';
import { modelFacts, readModel } from './models.ts';
import { decodeCode, encodeRow, Shrinks } from './play.ts';
import { type DataSet, entries, factsOf, openSet, rowName, withLabels } from './sets.ts';

/**
 * The worker that holds rows and models. Runs learn elsewhere, so that everything here answers while they do.
 */
const sets = new Map<string, DataSet>();
/** Sets that are being read: whoever wants to learn from one may ask for it already. */
const opening = new Map<string, Promise<DataSet>>();
const models = new Map<string, PCAE>();
const codes = new Codes();
const shrinks = new Shrinks();

let engine: Promise<Engine> | undefined;
const desktop = () => {
  engine ??= threadsEngine(Math.min(4, navigator.hardwareConcurrency || 1));
  return engine;
};

const setOf = (id: string): DataSet =>
  found(sets.get(id), 'These rows are no longer open. Choose the file again.');
const modelOf = (id: string): PCAE =>
  found(models.get(id), 'This model is no longer here. Learn it again, or drop its file.');

function found<T>(thing: T | undefined, message: string): T {
  if (thing === undefined) throw new Error(message);
  return thing;
}

export const desk: Doers<DeskCalls> = {
  async gpu() {
    return 'gpu' in navigator ? (await import('../gpu.ts')).findGpu() : undefined;
  },
  async open({ id, origin }, { signal }) {
    const like = origin.from === 'file' && origin.like ? models.get(origin.like) : undefined;
    const reading = openSet(id, origin, signal, like);
    opening.set(id, reading);
    const set = await reading.finally(() => opening.delete(id));
    sets.set(id, set);
    // A run that waits for the rows gets them before their columns are counted.
    await new Promise((resolve) => setTimeout(resolve));
    return factsOf(set);
  },
  close({ id }) {
    sets.delete(id);
  },
  async label({ id, file }) {
    const set = await withLabels(setOf(id), file);
    sets.set(id, set);
    return factsOf(set);
  },
  part({ id, rows: chosen, from, to }) {
    const set = setOf(id);
    const list =
      'start' in chosen
        ? Array.from({ length: chosen.end - chosen.start }, (_, k) => chosen.start + k)
        : chosen;
    const names = list.map((i) => rowName(set, i));
    return { values: entries(set.rows, list, from, to), names };
  },
  async give({ id, port }) {
    // Learning does not need the names of rows.
    const { ids: _, ...rows } = (await (opening.get(id) ?? setOf(id))).rows;
    port.postMessage(rows);
    port.close();
  },
  column({ id, of }) {
    const { rows, labels } = setOf(id);
    if (of === 'label') return found(labels, 'These rows have no labels.').values;
    const all = Uint32Array.from({ length: rows.n }, (_, i) => i);
    return entries(rows, all, of, of + 1);
  },
  adopt({ id, bytes, name }) {
    const model = readModel(bytes, name);
    models.set(id, model);
    return modelFacts(model);
  },
  drop({ id }) {
    models.delete(id);
  },
  async look({ model, data, rows }) {
    return look(modelOf(model), setOf(data), rows, await desktop());
  },
  async measure({ model, data }, context) {
    return measure(modelOf(model), setOf(data), await desktop(), context);
  },
  async map({ model, data, how }, context) {
    const { signal } = context;
    const learned = modelOf(model);
    const share = (from: number, to: number) => ({
      signal,
      tell: (part: number) => context.tell(from + (to - from) * part),
    });
    const { H } = learned;
    const encoded = await codes.of(learned, setOf(data), await desktop(), share(0, how === 'axes' ? 1 : 0.2));
    const measured = comparable(learned, encoded.codes);
    const axes = principalAxes(measured, H);
    const { losses } = encoded;
    if (how === 'axes') return { points: axes, laidOut: encoded.n, losses, codes: encoded.codes };
    return { ...(await layOut(measured, H, axes, share(0.2, 1))), losses, codes: encoded.codes };
  },
  async encode({ model, values, data }) {
    const learned = modelOf(model);
    const hidden = values.some((x) => Number.isNaN(x));
    const shrink = hidden ? await shrinks.of(learned, data ? sets.get(data) : undefined, await desktop()) : 0;
    return encodeRow(learned, values, await desktop(), shrink);
  },
  async decode({ model, code, values }) {
    return decodeCode(modelOf(model), code, await desktop(), values);
  },
  async find({ model, data, row, count, how }, context) {
    const [learned, set] = [modelOf(model), setOf(data)];
    const engine = await desktop();
    const encoded = await codes.of(learned, set, engine, context);
    const asked = { row, how, count: Math.min(count, set.rows.n) };
    return findNearest(learned, set, encoded.codes, asked, engine);
  },
  async take({ kind, model, data, rows, points, name }, context) {
    const learned = model === undefined ? undefined : modelOf(model);
    const set = data === undefined ? undefined : setOf(data);
    const engine = await desktop();
    const { take } = await import('./take.ts');
    return take(kind, name, {
      ...{ engine, model: learned, set, rows, points, context },
      codes: async () => (await codes.of(learned!, set!, engine, context)).codes,
    });
  },
};

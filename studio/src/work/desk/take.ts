import { type Engine, impute, type PCAE } from 'pc-ae';
import {
  hiddenUnitFigure,
  lossCurveFigure,
  map2dFigure,
  modelReport,
  reconstructionFigure,
} from 'pc-ae/figures';
import { encodeRows, type WriteOptions } from 'pc-ae/formats';
import { exportDecoder, exportEncoder } from 'pc-ae/onnx';
import { memorySource, type Rows, sliceRows, takeRows } from 'pc-ae/rows';
import type { Context } from '../protocol.ts';
import type { TakeKind, Taken } from './calls.ts';
import { lookAtBits } from './look.ts';
import { type DataSet, entries } from './sets.ts';
import { sharesOf } from './shares.ts';

/** What a file is made of. */
interface Goods {
  readonly engine: Engine;
  readonly model?: PCAE;
  readonly set?: DataSet;
  readonly codes: () => Promise<Float32Array>;
  readonly rows?: Uint32Array;
  readonly points?: Float32Array;
  readonly context: Context<number>;
}

/** Makes a file of a kind; `name` is what it is called without its ending. */
export async function take(kind: TakeKind, name: string, goods: Goods): Promise<Taken> {
  const [ending, parts] = await MAKERS[kind](goods);
  return {
    name: name + ending,
    blob: new Blob(parts, { type: TYPES[ending] ?? 'application/octet-stream' }),
  };
}

type Made = readonly [ending: string, parts: BlobPart[]];

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.csv': 'text/csv',
  '.svg': 'image/svg+xml',
};

const MAKERS: Readonly<Record<TakeKind, (goods: Goods) => Promise<Made>>> = {
  model: async (goods) => ['.safetensors', [needed(goods).model.save()]],
  'onnx-decoder': async (goods) => ['.decoder.onnx', [exportDecoder(needed(goods).model)]],
  'onnx-encoder': async (goods) => ['.encoder.onnx', [await exportEncoder(needed(goods).model)]],
  async codes(goods) {
    const { model, set } = both(goods);
    const { H } = model;
    const columns = Array.from({ length: H }, (_, h) => `h${h + 1}`);
    const values = await goods.codes();
    return text(
      '.codes.csv',
      { kind: 'real', n: set.rows.n, V: H, values, columns, ids: set.rows.ids },
      { values: 'signs' },
    );
  },
  async reconstructions(goods) {
    const { model, set } = both(goods);
    const values = sharesOf(model, await model.decode(await goods.codes(), { engine: goods.engine }));
    const { n, V, columns, ids } = set.rows;
    return text('.reconstructions.csv', { kind: 'real', n, V, values, columns, ids }, { values: 'unit' });
  },
  async filled(goods) {
    const { model, set } = both(goods);
    const { engine, context } = goods;
    const { n, V, columns, ids, groups, schema } = set.rows;
    const { values } = await impute(model, set.rows, {
      engine,
      signal: context.signal,
      onProgress: context.tell,
    });
    const filled: Rows = { kind: 'real', n, V, values, columns, ids, groups, schema };
    const words = { values: schema?.kind === 'real' ? ('unit' as const) : undefined, words: true };
    return text('.filled.csv', filled, hasWords(set.rows) ? words : { values: 'unit' });
  },
  async rows(goods) {
    const { set, rows } = goods;
    if (!set) throw new Error('There are no rows here.');
    return text('.rows.csv', rows ? takeRows(set.rows, rows) : set.rows, {});
  },
  async report(goods) {
    const { model, set } = both(goods);
    const { engine, context } = goods;
    const title = `A model of ${set.name}`;
    return ['.html', [await modelReport(model, set.rows, { title, engine, signal: context.signal })]];
  },
  async 'figure-units'(goods) {
    const { V, H, W, image } = needed(goods).model;
    const width = W.length / V;
    const units = Float32Array.from({ length: H * V }, (_, k) => W[(k % V) * width + Math.floor(k / V)]);
    for (let h = 0; h < H; h++) {
      const unit = units.subarray(h * V, (h + 1) * V);
      const typical = Math.sqrt(unit.reduce((sum, w) => sum + w * w, 0) / V) || 1;
      unit.forEach((w, v) => {
        unit[v] = Math.tanh(w / typical);
      });
    }
    return ['.units.svg', [hiddenUnitFigure({ units, V, image, range: [-1, 1] })]];
  },
  async 'figure-reconstructions'(goods) {
    const { model, set } = both(goods);
    const first = sliceRows(set.rows, 0, Math.min(20, set.rows.n));
    const chosen = Array.from({ length: first.n }, (_, i) => i);
    const { decoded, losses } = await lookAtBits(model, set, chosen, goods.engine);
    const rows = [
      { label: 'original', values: entries(set.rows, chosen) },
      { label: 'reconstruction', values: decoded },
    ];
    const captions = Array.from(losses, (loss) => loss.toFixed(1));
    const { V, image } = model;
    return ['.reconstructions.svg', [reconstructionFigure({ rows, V, image, range: [-1, 1], captions })]];
  },
  async 'figure-learning'(goods) {
    const { history } = needed(goods).model.training;
    const x = history.map(({ epoch }) => epoch + 1);
    const series = (label: string, y: (number | undefined)[]) => ({
      label,
      x,
      y: y.map((value) => value ?? Number.NaN),
    });
    const gaps = [
      series(
        'gap',
        history.map(({ meanGap }) => meanGap),
      ),
    ];
    const curves = [
      series(
        'loss',
        history.map(({ loss }) => loss),
      ),
    ];
    if (history.some(({ validation }) => validation !== undefined))
      curves.push(
        series(
          'held out',
          history.map(({ validation }) => validation),
        ),
      );
    return ['.learning.svg', [lossCurveFigure({ over: 'epochs', series: curves, gaps })]];
  },
  async 'figure-map'({ points, set }) {
    if (!points) throw new Error('The map has not been drawn yet.');
    const { labels } = set ?? {};
    const classes = labels && { classes: labels.values, names: labels.names };
    return ['.map.svg', [map2dFigure({ points, ...classes, axes: ['first axis', 'second axis'] })]];
  },
};

async function text(ending: string, rows: Rows, options: WriteOptions): Promise<Made> {
  const pieces: BlobPart[] = [];
  for await (const piece of encodeRows(memorySource(rows), 'csv', options)) pieces.push(piece.slice());
  return [ending, pieces];
}

/** Whether a table holds words, which a filled-in one then holds too; otherwise it holds probabilities. */
function hasWords({ groups, schema }: Rows): boolean {
  return groups !== undefined || schema?.words !== undefined;
}

function needed({ model }: Goods): { model: PCAE } {
  if (model) return { model };
  throw new Error('There is no model yet: learn one, or drop a model file.');
}

function both(goods: Goods): { model: PCAE; set: DataSet } {
  const { set } = goods;
  if (set) return { ...needed(goods), set };
  throw new Error('This needs the rows too: drop their file.');
}

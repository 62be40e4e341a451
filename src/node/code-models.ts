import { type PackedCodes, packCodes } from '../bits/pack.ts';
import { encodingOf } from '../encodings/by-name.ts';
import { load } from '../model/load.ts';
import { PCAE } from '../model/model.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import {
  type BitDecoder,
  likelihoodConstants,
  likelihoodTables,
  likelihoodTemperature,
  type RowDistance,
} from '../search/likelihood.ts';
import { startThread } from '../search/node/index.ts';
import type { Tables } from '../search/tables.ts';
import type { VectorCodes } from '../vectors/codes.ts';
import { loadVectorCodes, saveVectorCodes } from '../vectors/file.ts';
import type { Metric, VectorsInput } from '../vectors/vectors.ts';

/** What an index needs of the model that its codes are of. */
export interface CodeModel<Data> {
  readonly kind: 'vectors' | 'bits';
  readonly V: number;
  readonly H: number;
  /** What makes vectors neighbours. */
  readonly metric?: Metric;
  /** How rows of bits are to be read: as those that the model learned from. */
  readonly like?: Pick<PCAE, 'V' | 'columns' | 'groups' | 'schema'>;
  encode(data: Data, options: Coding): Promise<{ codes: PackedCodes; constants: Float32Array }>;
  tables(queries: Data): Promise<Tables>;
  /** Everything that it takes to make it again. */
  save(): Uint8Array;
}

export interface Coding {
  /** Vectors: codes to improve on, one for each, as learning has found them. */
  readonly from?: PackedCodes;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (fraction: number) => void;
}

/** Codes of vectors, scored by their distance. */
export function vectorModel(codes: VectorCodes): CodeModel<VectorsInput> {
  const { V, H, metric } = codes;
  return {
    ...{ kind: 'vectors', V, H, metric },
    encode: (data, options) => codes.encode(data, { ...options, start: startThread }),
    tables: async (queries) => codes.tables(queries),
    save: () => tagged('vectors', 1, saveVectorCodes(codes)),
  };
}

/** A model of bits, its codes scored by the likelihood of a row at some temperature. */
export function bitsModel(model: PCAE, temperature: number): CodeModel<RowsInput> {
  const decoder = decoderOf(model);
  const { V, H } = model;
  return {
    ...{ kind: 'bits', V, H, like: model },
    async encode(data, { signal, onProgress }) {
      const { n, codes } = await model.encode(data, { signal, onProgress });
      const packed = packCodes(codes, { n, H }, 'lsb');
      return { codes: packed, constants: likelihoodConstants(decoder, packed, temperature) };
    },
    tables: async (queries) => likelihoodTables(decoder, await readRows(queries, 'queries', model.schema)),
    save: () => tagged('bits', temperature, model.save()),
  };
}

/** The temperature for a model of bits, chosen by neighbours among rows: their codes are sought for it. */
export async function temperatureFor(
  model: PCAE,
  rows: RowsInput,
  distance?: RowDistance,
): Promise<{ temperature: number; recall: number }> {
  const known = await readRows(rows, 'rows', model.schema);
  const { n, codes } = await model.encode(known);
  return likelihoodTemperature(decoderOf(model), known, packCodes(codes, { n, H: model.H }, 'lsb'), distance);
}

/** The model that `save` wrote. */
export function modelIn(bytes: Uint8Array, name: string): CodeModel<VectorsInput> | CodeModel<RowsInput> {
  const kind = bytes[0] === 0 ? 'vectors' : 'bits';
  const temperature = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(8, true);
  const rest = bytes.subarray(TAG);
  if (kind === 'vectors') return vectorModel(loadVectorCodes(rest, name));
  return bitsModel(load(rest, { name, as: PCAE }), temperature);
}

const TAG = 16;

/** What kind of model follows, and its temperature. */
function tagged(kind: 'vectors' | 'bits', temperature: number, bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(TAG + bytes.length);
  all[0] = kind === 'vectors' ? 0 : 1;
  new DataView(all.buffer).setFloat64(8, temperature, true);
  all.set(bytes, TAG);
  return all;
}

function decoderOf(model: PCAE): BitDecoder {
  const { V, H, W, reconstructionLoss: loss, columnWeights, encoding } = model;
  if (!encodingOf(encoding).discrete) {
    throw new RangeError(
      `an index needs codes of true bits; this model's are '${encoding}': learn one with encoding 'bits'`,
    );
  }
  return { V, H, W, loss, columnWeights };
}

import { type PackedCodes, packCodes } from '../bits/pack.ts';
import { encodingOf } from '../encodings/by-name.ts';
import type { Engine } from '../engine/engine.ts';
import { safetensorsMetadata } from '../formats/safetensors.ts';
import { load } from '../model/load.ts';
import { PCAE } from '../model/model.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import { takeRows } from '../rows/rows.ts';
import { permutation } from '../rows/split.ts';
import { likelihoodConstants, likelihoodTables } from '../search/likelihood.ts';
import { startThread } from '../search/node/index.ts';
import type { Tables } from '../search/tables.ts';
import { likelihoodTemperature, type TemperatureOptions } from '../search/temperature.ts';
import { VectorCodes } from '../vectors/codes.ts';
import { holdsVectorCodes, loadVectorCodes, saveVectorCodes } from '../vectors/file.ts';
import type { Metric, VectorsInput } from '../vectors/vectors.ts';
import { readBytes } from './read-bytes.ts';

/** Models whose codes can be searched by cost: of bits (`encoding: 'bits'`), or of vectors. */
export type SearchableModel = PCAE | VectorCodes;

/**
 * What searching needs from a model: codes for rows, the constant cost of each code, and the costs of half
 * bytes for each query.
 */
export interface CodeModel {
  readonly kind: 'vectors' | 'bits';
  readonly V: number;
  readonly H: number;
  /** What makes vectors neighbours. */
  readonly metric?: Metric;
  /** How to read rows of bits: in the same way as the rows that the model learned from. */
  readonly like?: Pick<PCAE, 'V' | 'columns' | 'groups' | 'schema' | 'encoding' | 'reconstructionLoss'>;
  encode(data: CodeData, options: Coding): Promise<PackedCodes>;
  /**
   * The part of each code's cost that does not depend on the query; better if the rows of the codes are
   * known.
   */
  constants(codes: PackedCodes, data?: CodeData): Promise<Float32Array>;
  tables(queries: CodeData): Promise<Tables>;
  /** The model's file. */
  save(): Uint8Array;
}

/** Vectors for codes of vectors, rows for models of bits. */
export type CodeData = VectorsInput | RowsInput;

export interface Coding {
  /** Where to compute: a GPU engine, say; without one, threads do. */
  readonly engine?: Engine;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (fraction: number) => void;
}

/** A model as searching needs it. */
export function codeModel(model: SearchableModel): CodeModel {
  return model instanceof VectorCodes ? ofVectors(model) : ofBits(model);
}

/** The model in the bytes of a file. */
export function loadSearchable(bytes: Uint8Array, name: string): SearchableModel {
  const vectors = holdsVectorCodes(safetensorsMetadata(bytes, name));
  return vectors ? loadVectorCodes(bytes, name) : load(bytes, { name, as: PCAE });
}

/** The model in a file. */
export async function openSearchable(path: string): Promise<SearchableModel> {
  return loadSearchable(await readBytes(path), path);
}

/**
 * A model of bits with the temperature by which its codes find most neighbours among rows, some thousands of
 * them: where neighbours are to be those by Tanimoto, or rows are of another kind than those learned from.
 * `fit` has chosen one by Hamming distance.
 */
export async function withTemperature(
  model: PCAE,
  rows: RowsInput,
  options: TemperatureOptions = {},
): Promise<{ readonly model: PCAE; readonly recall: number }> {
  const all = await readRows(rows, 'rows', model.schema, options.signal);
  const known = takeRows(all, permutation(all.n, options.seed ?? 1).subarray(0, MOST_ROWS));
  const { n, codes } = await bitsOf(model).encode(known, options);
  const packed = packCodes(codes, { n, H: model.H }, 'lsb');
  const { temperature, recall } = await likelihoodTemperature(model, known, packed, options);
  return { model: new PCAE({ ...model, temperature }), recall };
}

/** Rows by which a temperature is chosen. */
const MOST_ROWS = 5100;

function ofVectors(codes: VectorCodes): CodeModel {
  const { V, H, metric } = codes;
  return {
    ...{ kind: 'vectors', V, H, metric },
    encode: async (data, options) =>
      (await codes.encode(data as VectorsInput, { ...options, start: startThread })).codes,
    constants: async (packed, data) => codes.constants(packed, data as VectorsInput | undefined),
    tables: async (queries) => codes.tables(queries as VectorsInput),
    save: () => saveVectorCodes(codes),
  };
}

/** Codes scored by the likelihood of a row at the model's temperature. */
function ofBits(model: PCAE): CodeModel {
  const { V, H, schema } = bitsOf(model);
  return {
    ...{ kind: 'bits', V, H, like: model },
    async encode(data, { engine, signal, onProgress }) {
      const { n, codes } = await model.encode(data as RowsInput, { engine, signal, onProgress });
      return packCodes(codes, { n, H }, 'lsb');
    },
    constants: (packed) => likelihoodConstants(model, packed),
    tables: async (queries) =>
      likelihoodTables(model, await readRows(queries as RowsInput, 'queries', schema)),
    save: () => model.save(),
  };
}

function bitsOf(model: PCAE): PCAE {
  if (encodingOf(model.encoding).discrete) return model;
  throw new RangeError(
    `searching needs codes of true bits; this model's are '${model.encoding}': learn one with encoding 'bits'`,
  );
}

import type {
  ColumnGroup,
  EncodingName,
  HistoryEntry,
  Promised,
  Stopped,
  TableSchema,
  UnitFeatures,
} from 'pc-ae';
import type { GpuAdapter } from 'pc-ae/engine';
import type { OpenOptions } from 'pc-ae/formats';
import type { Call } from '../protocol.ts';

/** What is known of a set of rows without looking at them. */
export interface DataFacts {
  readonly id: string;
  readonly name: string;
  readonly format: string;
  readonly n: number;
  readonly V: number;
  readonly kind: 'bits' | 'real';
  readonly schema?: TableSchema;
  /**
   * What was said about how it is read, as options of the command line; all else is concluded, there as here.
   */
  readonly flags: string;
  readonly columns?: readonly string[];
  readonly groups?: readonly ColumnGroup[];
  readonly image?: { readonly height: number; readonly width: number };
  readonly named: boolean;
  /** Share of ones among the known entries of each column, and how many entries are missing. */
  readonly ones: Float32Array;
  readonly missing: Uint32Array;
  /** It holds ones and gaps alone: the gaps may be zeros. */
  readonly onlyOnes: boolean;
  /** Names of the rows' labels, where they have labels. */
  readonly labels?: readonly string[];
}

/** Where rows come from. */
export type Origin =
  | { readonly from: 'digits'; readonly n: number }
  | {
      readonly from: 'file';
      readonly file: File;
      readonly options: OpenOptions;
      /** A file of labels, one for each row. */
      readonly labels?: File;
      /** The model whose columns and reading these rows are to have. */
      readonly like?: string;
    };

export interface RowsPart {
  readonly values: Float32Array;
  readonly names?: readonly string[];
}

/** What a model is. */
export interface ModelFacts {
  readonly V: number;
  readonly H: number;
  readonly encoding: EncodingName;
  readonly loss: string;
  readonly unit: string;
  readonly radius: number;
  readonly columns?: readonly string[];
  readonly groups?: readonly ColumnGroup[];
  readonly image?: { readonly height: number; readonly width: number };
  readonly training: {
    readonly n: number;
    readonly loss: number;
    readonly gap?: number;
    readonly slackGap?: number;
    readonly epochs: number;
    readonly seconds: number;
    readonly seed: number;
    readonly ridge: number;
    readonly stopped: Stopped;
    readonly converged: boolean;
    readonly history: readonly HistoryEntry[];
  };
  /** The worst case of the data's remembered correlations. */
  readonly bound: number;
  readonly promises: readonly (Promised & { readonly of: string })[];
  readonly kinds: readonly UnitFeatures[];
  /** Units x V. */
  readonly units: Float32Array;
  /** The typical size of each number of a code. */
  readonly spread: Float32Array;
}

/** Rows beside what their codes decode to. */
export interface Looked {
  readonly rows: readonly number[];
  readonly names: readonly string[];
  readonly values: Float32Array;
  readonly decoded: Float32Array;
  readonly codes: Float32Array;
  readonly losses: Float64Array;
  readonly gaps: Float64Array;
}

/** How well a model does on rows. */
export interface Measured {
  readonly n: number;
  readonly loss: number;
  /** For bounded losses, what reconstructions cost; `loss` is the convex function that codes minimise. */
  readonly decodedLoss?: number;
  readonly lossPerBit: number;
  readonly hamming: number;
  readonly gapMean: number;
  readonly gapMax: number;
  readonly tolerance: number;
  readonly uncertified: number;
  /** Share of wrong bits in each column, of some of the rows. */
  readonly wrong: Float32Array;
  /** Entries in ten parts by their decoded probability: how many, their mean, and the share of ones. */
  readonly bins: readonly { readonly count: number; readonly said: number; readonly true: number }[];
  /** Rows that `wrong` and `bins` were counted on. */
  readonly counted: number;
}

export interface Mapped {
  /** n x 2, most of them within [-1, 1]. */
  readonly points: Float32Array;
  /** Rows that were laid out; the others were placed among those of them that they are nearest to. */
  readonly laidOut: number;
  readonly losses: Float64Array;
  readonly codes: Float32Array;
}

/** A row's best code, what it decodes to, and what entries that are hidden are likely to be. */
export interface Played {
  readonly code: Float32Array;
  readonly decoded: Float32Array;
  readonly loss: number;
  readonly gap: number;
  /** Probabilities of a one for entries that are not known; the entries themselves where they are. */
  readonly filled: Float32Array;
}

/**
 * The distance of rows: for codes of bits, how likely one's code makes the other, or the bits that differ.
 */
export type FindHow = 'likelihood' | 'hamming' | 'distance';

export interface Found {
  readonly rows: readonly number[];
  readonly names: readonly string[];
  /** What they were ordered by, the least first. */
  readonly costs: readonly number[];
  /** The numbers of a code in which a row differs from the query. */
  readonly differing: readonly (readonly number[])[];
  readonly values: Float32Array;
  readonly codes: Float32Array;
  readonly query: Float32Array;
}

export type TakeKind =
  | 'model'
  | 'codes'
  | 'reconstructions'
  | 'filled'
  | 'report'
  | 'onnx-decoder'
  | 'onnx-encoder'
  | 'figure-units'
  | 'figure-reconstructions'
  | 'figure-learning'
  | 'figure-map'
  | 'rows';

export interface Taken {
  readonly name: string;
  readonly blob: Blob;
}

type OfModel = { readonly model: string };
type OfBoth = { readonly model: string; readonly data: string };

/** The calls of the desk, which holds rows and models. */
export interface DeskCalls {
  /** The graphics card that a run could learn on. */
  gpu: Call<null, GpuAdapter | undefined>;
  open: Call<{ readonly id: string; readonly origin: Origin }, DataFacts>;
  close: Call<{ readonly id: string }, void>;
  label: Call<{ readonly id: string; readonly file: File }, DataFacts>;
  part: Call<
    {
      readonly id: string;
      readonly rows: readonly number[] | { readonly start: number; readonly end: number };
      readonly from?: number;
      readonly to?: number;
    },
    RowsPart
  >;
  /** Sends the rows to the worker of a run. */
  give: Call<{ readonly id: string; readonly port: MessagePort }, void>;
  column: Call<{ readonly id: string; readonly of: number | 'label' }, Float32Array>;
  adopt: Call<
    { readonly id: string; readonly bytes: Uint8Array<ArrayBuffer>; readonly name: string },
    ModelFacts
  >;
  drop: Call<{ readonly id: string }, void>;
  look: Call<OfBoth & { readonly rows: readonly number[] }, Looked>;
  measure: Call<OfBoth, Measured, number>;
  map: Call<OfBoth & { readonly how: 'axes' | 'umap' }, Mapped, number>;
  encode: Call<OfModel & { readonly values: Float32Array; readonly data?: string }, Played>;
  decode: Call<
    OfModel & { readonly code: Float32Array; readonly values?: Float32Array },
    { readonly decoded: Float32Array; readonly loss?: number }
  >;
  find: Call<OfBoth & { readonly row: number; readonly count: number; readonly how: FindHow }, Found, number>;
  take: Call<
    {
      readonly kind: TakeKind;
      readonly model?: string;
      readonly data?: string;
      readonly rows?: Uint32Array;
      readonly points?: Float32Array;
      readonly name: string;
    },
    Taken,
    number
  >;
}

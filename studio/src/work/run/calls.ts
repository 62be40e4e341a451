import type { EncodingName, HistoryEntry, Progress } from 'pc-ae';
import type { Call } from '../protocol.ts';

/** Threads, the graphics card, or whichever suits the work. */
export type EngineName = 'auto' | 'wasm' | 'gpu';

/** What a run of learning is asked for: the options of `pcae train` that the page offers. */
export interface LearnSettings {
  readonly H: number;
  readonly encoding: EncodingName;
  readonly loss: 'cross-entropy' | 'squared' | 'hamming';
  /** Share of the rows that learning is stopped by; 0: none. */
  readonly validation: number;
  /** Share of the rows kept aside, by which the model promises what new rows cost; 0: none. */
  readonly calibrate: number;
  readonly ridge?: number | 'auto';
  readonly epochs?: number;
  /** Seconds. */
  readonly time?: number;
  readonly seed: number;
  readonly engine: EngineName;
}

/** What a run shows while it learns. */
export interface Told {
  /** What it is learned on, in words. */
  readonly engine?: string;
  readonly progress?: Progress;
  /** Epochs that are over: all of them, or some evenly. */
  readonly history?: readonly HistoryEntry[];
  readonly calibrating?: number;
  readonly preview?: Preview;
}

/** What the weights of the moment make of some rows, and the weights themselves. */
export interface Preview {
  /** Examples x V, in [-1, 1]. */
  readonly decoded: Float32Array;
  /** Units x V. */
  readonly units: Float32Array;
}

export interface Learned {
  /** The model's file; absent where learning was stopped before there was one. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** Stopped on the way: `resume` goes on from there. */
  readonly paused: boolean;
}

/** The calls of the worker of one run. */
export interface RunCalls {
  /** Starts threads before there is anything to learn. */
  prepare: Call<{ readonly threads: number }, void>;
  /** Rows come through the port, from the desk. */
  learn: Call<
    {
      readonly port: MessagePort;
      readonly settings: LearnSettings;
      readonly threads: number;
      /** Whether learning waits until the page has drawn the first preview; that time counts as learning. */
      readonly waits: boolean;
    },
    Learned,
    Told
  >;
  resume: Call<null, Learned, Told>;
  /** The page has drawn the first preview. */
  seen: Call<null, void>;
}

import type { Command } from 'commander';
import type { Io } from './io.ts';

/** A command before it is needed: what help says of it, and the file that holds the rest. */
export interface CommandEntry {
  readonly summary: string;
  /** Gives the function that adds the command to the program. */
  load(): Promise<(program: Command, io: Io) => void>;
}

/** All commands, in the order in which help shows them. A command line loads the file of its own command only. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  demo: {
    summary: 'learn generated digits, and write a report with pictures',
    load: async () => (await import('./commands/demo.ts')).addDemo,
  },
  train: {
    summary: 'learn a model from rows',
    load: async () => (await import('./commands/train.ts')).addTrain,
  },
  eval: {
    summary: 'measure how well a model reconstructs rows',
    load: async () => (await import('./commands/eval.ts')).addEval,
  },
  encode: {
    summary: 'find the codes of rows',
    load: async () => (await import('./commands/encode.ts')).addEncode,
  },
  decode: {
    summary: 'turn codes back into rows',
    load: async () => (await import('./commands/decode.ts')).addDecode,
  },
  reconstruct: {
    summary: 'encode rows and decode them again',
    load: async () => (await import('./commands/reconstruct.ts')).addReconstruct,
  },
  impute: {
    summary: 'fill in what rows are missing',
    load: async () => (await import('./commands/reconstruct.ts')).addImpute,
  },
  generate: {
    summary: 'make new rows like those a model learned from',
    load: async () => (await import('./commands/generate.ts')).addGenerate,
  },
  'fit-decoder': {
    summary: 'learn the best decoder for codes of your own',
    load: async () => (await import('./commands/fit-decoder.ts')).addFitDecoder,
  },
  guarantee: {
    summary: 'the worst-case loss that a model promises',
    load: async () => (await import('./commands/guarantee.ts')).addGuarantee,
  },
  inspect: {
    summary: 'what a model is, and what its units stand for',
    load: async () => (await import('./commands/inspect.ts')).addInspect,
  },
  sweep: {
    summary: 'try several sizes and ridges: how to choose H',
    load: async () => (await import('./commands/sweep.ts')).addSweep,
  },
  path: {
    summary: 'from dense to sparse weights: how to choose --l1',
    load: async () => (await import('./commands/path.ts')).addPath,
  },
  compare: {
    summary: 'how PC-AE does beside base rates, PCA and autoencoders on your data',
    load: async () => (await import('./commands/compare.ts')).addCompare,
  },
  report: {
    summary: 'a page with pictures of a model and its reconstructions',
    load: async () => (await import('./commands/report.ts')).addReport,
  },
  search: {
    summary: 'find the codes nearest to others, by differing bits',
    load: async () => (await import('./commands/search.ts')).addSearch,
  },
  compress: {
    summary: 'pack rows of bits without loss',
    load: async () => (await import('./commands/compress.ts')).addCompress,
  },
  decompress: {
    summary: 'give compressed rows back',
    load: async () => (await import('./commands/decompress.ts')).addDecompress,
  },
  convert: {
    summary: 'write rows in another format',
    load: async () => (await import('./commands/convert.ts')).addConvert,
  },
  data: {
    summary: 'look at data',
    load: async () => (await import('./commands/data.ts')).addData,
  },
  export: {
    summary: 'write a model for other programs',
    load: async () => (await import('./commands/export.ts')).addExport,
  },
  completion: {
    summary: 'completion of commands and options in a shell',
    load: async () => (await import('./commands/completion.ts')).addCompletion,
  },
};

/** Commands of earlier versions, and what does their work now. */
export const FORMER: Readonly<Record<string, string>> = {
  paper: 'npm run paper, in a clone of the repository',
  'data get': 'npm run paper -- data get, in a clone of the repository',
};

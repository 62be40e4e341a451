import type { Command } from 'commander';
import type { Io } from './io.ts';

/** A command before it is loaded: its summary for help, and how to load the rest. */
interface CommandEntry {
  readonly summary: string;
  /** Gives the function that adds the command to the program. */
  load(): Promise<(program: Command, io: Io) => void>;
}

/**
 * All commands, in the order in which help shows them. A command line loads the file of its own command only.
 */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  demo: {
    summary: 'learn generated digits and write a report with pictures',
    load: async () => (await import('./commands/demo.ts')).addDemo,
  },
  studio: {
    summary: 'open a page in the browser: read, learn, look and play',
    load: async () => (await import('./commands/studio.ts')).addStudio,
  },
  train: {
    summary: 'learn a model from rows',
    load: async () => (await import('./commands/train.ts')).addTrain,
  },
  eval: {
    summary: 'measure how well a model reconstructs rows; write a report',
    load: async () => (await import('./commands/eval.ts')).addEval,
  },
  calibrate: {
    summary: 'let a model promise what new rows cost, from rows it has not seen',
    load: async () => (await import('./commands/calibrate.ts')).addCalibrate,
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
    summary: 'encode rows and decode them again; fill in what is missing',
    load: async () => (await import('./commands/reconstruct.ts')).addReconstruct,
  },
  generate: {
    summary: 'make new rows like those a model learned from',
    load: async () => (await import('./commands/generate.ts')).addGenerate,
  },
  inspect: {
    summary: 'show what a model is, what it promises and what its units stand for',
    load: async () => (await import('./commands/inspect.ts')).addInspect,
  },
  sweep: {
    summary: 'try several sizes, ridges or relaxations to choose from',
    load: async () => (await import('./commands/sweep.ts')).addSweep,
  },
  compare: {
    summary: 'compare PC-AE with base rates, PCA and autoencoders on your data',
    load: async () => (await import('./commands/compare.ts')).addCompare,
  },
  index: {
    summary: 'make or change a search index: a file of codes',
    load: async () => (await import('./commands/index.ts')).addIndex,
  },
  search: {
    summary: 'find the nearest rows of an index, or codes by differing bits',
    load: async () => (await import('./commands/search.ts')).addSearch,
  },
  compress: {
    summary: 'pack rows of bits without loss',
    load: async () => (await import('./commands/compress.ts')).addCompress,
  },
  convert: {
    summary: 'write rows in another format; unpack compressed rows',
    load: async () => (await import('./commands/convert.ts')).addConvert,
  },
  info: {
    summary: 'show how a file is read and what it holds',
    load: async () => (await import('./commands/info.ts')).addInfo,
  },
  export: {
    summary: 'write a model for other programs',
    load: async () => (await import('./commands/export.ts')).addExport,
  },
  completion: {
    summary: 'set up completion in a shell',
    load: async () => (await import('./commands/completion.ts')).addCompletion,
  },
};

/** Commands and options of earlier versions, and their successors. */
export const FORMER: Readonly<Record<string, string>> = {
  paper: 'npm run paper, in a clone of the repository',
  data: 'pcae info FILE',
  '--present': "--ones WORD --zeros ''",
  'data get': 'npm run paper -- data get, in a clone of the repository',
  guarantee: 'pcae inspect MODEL --drift 0.01',
  'fit-decoder': 'pcae train DATA --codes CODES -o MODEL',
  path: 'pcae sweep DATA -H 16 --l1 0,0.001,0.01',
  report: 'pcae eval MODEL DATA --report PAGE.html',
  decompress: 'pcae convert FILE.pcz ROWS.bits',
  impute: 'pcae reconstruct MODEL DATA --fill',
  'sweep --path': 'pcae sweep DATA -H 2,4,8 --grow',
  'sweep --validation': 'pcae sweep DATA -H 2,4,8 --held-out 0.1',
  'eval --drift': 'pcae eval MODEL DATA --measure-drift',
  'compare --validation': 'pcae compare DATA -H 16 --held-out 0.1',
  'export --validation': 'pcae export MODEL --onnx encoder --held-out DATA',
  'export --missing': 'pcae export MODEL --onnx encoder --take-missing',
  'convert --corrupt-seed': 'pcae convert DATA OUTPUT --corrupt mask:0.25 --seed 1',
  'index --neighbours': 'pcae index INDEX --from DATA --model MODEL --metric tanimoto',
  'train --mask': 'pcae train DATA -H 16 -o MODEL --chosen FILE',
  'sweep --tolerance': 'pcae sweep DATA -H 2,4,8 --min-improvement 0.001',
};

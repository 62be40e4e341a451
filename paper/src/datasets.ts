import { createHash } from 'node:crypto';
import { access, constants, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { FormatError, folds, holdOut } from 'pc-ae';
import { openSource } from 'pc-ae/node';
import { collect, type Rows, takeRows } from 'pc-ae/rows';

/**
 * The four sets of the paper's experiments, as gzip'ed IDX files in a folder of this layout. Grey pictures
 * become bits once, by sampling each pixel with its intensity as the probability (Sec. 6); the seeds are
 * fixed, so that everybody who has the files has the same bits.
 */
export const SETS = {
  mnist: {
    title: 'MNIST',
    train: 'mnist/train-images-idx3-ubyte.gz',
    test: 'mnist/t10k-images-idx3-ubyte.gz',
    labels: 'mnist/t10k-labels-idx1-ubyte.gz',
    about: 'its own split, 60,000 and 10,000 pictures',
  },
  omniglot: {
    title: 'Omniglot (rebuilt)',
    train: 'omniglot/train-images-idx3-ubyte.gz',
    test: 'omniglot/test-images-idx3-ubyte.gz',
    about:
      'rebuilt from the raw drawings after Burda et al. (2016), because their file could not be had: 24,345 and 8,115 ' +
      'pictures where the paper has 8,070 to test on; expect small differences from the paper for that reason alone',
  },
  caltech101: {
    title: 'Caltech-101',
    train: 'caltech101-silhouettes/train-images-idx3-ubyte.gz',
    validation: 'caltech101-silhouettes/val-images-idx3-ubyte.gz',
    test: 'caltech101-silhouettes/test-images-idx3-ubyte.gz',
    about: 'silhouettes, split 1, 4,100, 2,264 and 2,307 pictures that are bits already',
  },
  notmnist: {
    title: 'notMNIST',
    train: 'notmnist-small/images-idx3-ubyte.gz',
    about: 'the small set, no split of its own: 18,724 pictures in ten folds, shuffled with seed 1',
  },
} as const satisfies Record<string, SetFiles>;

export type SetName = keyof typeof SETS;

interface SetFiles {
  readonly title: string;
  readonly train: string;
  /** Absent: folds of the training file. */
  readonly test?: string;
  /** Absent: a share of the training rows. */
  readonly validation?: string;
  /** Of the test rows. */
  readonly labels?: string;
  readonly about: string;
}

export const SET_NAMES = Object.keys(SETS) as SetName[];

/** Folds of a set that has no split of its own. */
export const FOLDS = 10;
/** Share of the training rows that is held out to stop by, where a set has no validation rows of its own. */
export const VALIDATION_SHARE = 0.05;
/** The seeds of everything that is drawn before learning begins. */
const DATA_SEEDS = { train: 1, test: 2, validation: 3, folds: 1, held: 1 } as const;

export interface PaperData {
  readonly train: Rows;
  readonly test: Rows;
  /** Rows to stop by, and the training rows that are left when they are not learned from. */
  readonly held: { readonly train: Rows; readonly validation: Rows };
  /** Training and validation rows together, where a set has validation rows of its own. */
  readonly whole?: Rows;
  readonly image: { readonly height: number; readonly width: number };
}

/** How many splits a set is measured on. */
export function foldCount(name: SetName): number {
  return (SETS[name] as SetFiles).test ? 1 : FOLDS;
}

/** Training, validation and test rows. `grey` leaves the pixels as they are, in [-1, 1]. */
export async function loadSet(
  folder: string,
  name: SetName,
  options: { readonly fold?: number; readonly grey?: boolean } = {},
): Promise<PaperData> {
  const set: SetFiles = SETS[name];
  const binarize = options.grey ? 'none' : 'sample';
  let image = { height: 1, width: 0 };
  const read = async (file: string, seed: number) => {
    const source = await openSource(await present(folder, file), { binarize, seed });
    image = source.image ?? { height: 1, width: source.V };
    return collect(source);
  };
  let train = await read(set.train, DATA_SEEDS.train);
  let test: Rows;
  if (set.test) {
    test = await read(set.test, DATA_SEEDS.test);
  } else {
    const parts = folds(train.n, FOLDS, DATA_SEEDS.folds);
    const fold = options.fold ?? 0;
    const rest = parts.filter((_, k) => k !== fold).flatMap((part) => [...part]);
    test = takeRows(train, parts[fold]);
    train = takeRows(train, rest);
  }
  if (set.validation) {
    const validation = await read(set.validation, DATA_SEEDS.validation);
    const whole = await together(train, validation);
    return { train, test, held: { train, validation }, whole, image };
  }
  const { kept, held } = holdOut(train.n, VALIDATION_SHARE, DATA_SEEDS.held);
  return {
    train,
    test,
    held: { train: takeRows(train, kept), validation: takeRows(train, held) },
    image,
  };
}

function together(first: Rows, second: Rows): Promise<Rows> {
  return collect({
    n: first.n + second.n,
    V: first.V,
    async *chunks() {
      yield first;
      yield second;
    },
  });
}

/** The path of a file of a set, once it is known to be there. */
async function present(folder: string, file: string): Promise<string> {
  const path = join(folder, file);
  await access(path, constants.R_OK).catch((cause) => {
    throw new FormatError(path, '', 'cannot be read; --data names a folder of data sets', cause);
  });
  return path;
}

/** SHA-256 of each file of a set, by its place in the folder. */
export async function hashSet(folder: string, name: SetName): Promise<Record<string, string>> {
  const { train, validation, test }: SetFiles = SETS[name];
  const hashes: Record<string, string> = {};
  for (const file of [train, validation, test]) {
    if (!file) continue;
    const bytes = await readFile(await present(folder, file));
    hashes[file] = createHash('sha256').update(bytes).digest('hex');
  }
  return hashes;
}

/** The classes of the test rows, from 0. */
export async function readLabels(folder: string, name: 'mnist'): Promise<Uint8Array> {
  const path = await present(folder, SETS[name].labels);
  const bytes = gunzipSync(await readFile(path));
  if (bytes.length < 8 || bytes.readUInt32BE(0) !== LABELS_MAGIC) {
    throw new FormatError(path, 'byte 0', 'this is not an IDX file of labels');
  }
  return new Uint8Array(bytes.subarray(8, 8 + bytes.readUInt32BE(4)));
}

/** Two zero bytes, unsigned bytes, one dimension. */
const LABELS_MAGIC = 0x0801;

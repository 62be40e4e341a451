import type { Binarize } from './binarize.ts';
import { inPieces, type Steps } from './breath.ts';
import { decideReading, look, newCensus } from './census.ts';
import { checkShape } from './check.ts';
import { counted } from './counted.ts';
import { JoinedRows } from './joined.ts';
import type { Rows } from './rows.ts';
import type { TableSchema } from './schema.ts';
import { readNumbers, readsBits } from './values.ts';

/**
 * Grey pictures in memory, as `digits` makes them. Grey levels become bits as those of files do: each pixel
 * is drawn with its grey level as the probability of a one, as in the paper's experiments, unless `binarize`
 * says otherwise.
 */
export interface Pictures {
  readonly n: number;
  readonly height: number;
  readonly width: number;
  /** n x (height * width), row after row: 0 is a zero, 255 a one. */
  readonly images: Uint8Array;
  /**
   * 'sample', 'threshold', or 'none' to keep grey levels. Default: as the model's training pictures were
   * read, or else 'sample'.
   */
  readonly binarize?: Binarize;
  /** Fixes the draws. Default: the model's, or 0. */
  readonly seed?: number;
}

/** Pictures as rows that carry their size and how they were read. */
export function* picturesAsRows(pictures: Pictures, argument: string, like?: TableSchema): Steps<Rows> {
  const { n, height, width, images } = pictures;
  const V = height * width;
  checkShape({ n, V }, argument);
  const tag = Object.prototype.toString.call(images).slice(8, -1);
  if (!/^Uint8(Clamped)?Array$/.test(tag) || images.length !== n * V) {
    throw new RangeError(
      `${argument}.images: expected ${n} x ${height} x ${width} = ${counted(n * V, 'byte')}, got ${tag} of ${images?.length}`,
    );
  }
  const census = newCensus();
  const some = Math.max(1, Math.floor(PIECE / V));
  const part = (start: number, end: number) => images.subarray(start * V, end * V);
  yield* inPieces(n, some, (start, end) => look(census, part(start, end), V, start));
  const before = like && (like.kind === 'real' || like.binarize !== 'none') ? like : undefined;
  const reading = decideReading(argument, 'image', census, {
    values: 'bytes',
    binarize: pictures.binarize ?? before?.binarize,
    seed: pictures.seed ?? before?.seed,
  });
  const { values, binarize, seed } = reading;
  const schema = { values, binarize, seed, kind: readsBits(reading) ? 'bits' : 'real' } as const;
  const joined = new JoinedRows({ n, V });
  yield* inPieces(n, some, (start, end) =>
    joined.add(readNumbers(argument, part(start, end), V, start, reading)),
  );
  return { ...joined.rows, image: { height, width }, schema };
}

/** Bytes per step, which take some milliseconds. */
const PIECE = 2 ** 17;

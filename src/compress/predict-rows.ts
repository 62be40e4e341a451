import { inPieces, type Steps } from '../rows/breath.ts';
import type { BitCoder } from './bit-coder.ts';
import { BitColumns } from './bit-columns.ts';
import type { IntegerModel } from './model.ts';
import { listen } from './neighbours.ts';
import { RowLearner } from './row-learner.ts';

/**
 * Rows, given their codes. A learner predicts each row from those before it. After 32, 128, 512, 2,048 and
 * 8,192 rows the columns that go together are looked for in what was seen, and a new learner that knows them
 * is taken through the same rows again. Reader and writer have seen the same, so nothing of this is stored.
 */
export class RowPredictor {
  private readonly model: IntegerModel;
  private learner: RowLearner;
  /** How many rows are seen when columns that go together are next looked for. */
  private next = FIRST;
  /** The rows and codes so far, as long as they are needed. */
  private past: { readonly rows: BitColumns; readonly codes: BitColumns } | undefined;

  constructor(model: IntegerModel) {
    const { V, H } = model;
    this.model = model;
    this.learner = new RowLearner(model);
    if (V > 1 && V <= WIDEST) {
      this.past = { rows: new BitColumns(V, LAST), codes: new BitColumns(H, LAST) };
    }
  }

  /** `code` and `bits` hold 0 or 1 for each unit and column; reading fills in `bits`. One step per row. */
  *row(coder: BitCoder, code: Uint8Array, bits: Uint8Array): Steps<void> {
    const seen = this.past?.rows.n ?? 0;
    if (seen === this.next) yield* this.learnAgain();
    this.learner.row(coder, code, bits);
    this.past?.rows.add(bits);
    this.past?.codes.add(code);
    yield;
  }

  private *learnAgain(): Steps<void> {
    const { V, H } = this.model;
    if (!this.past) return;
    const { rows, codes } = this.past;
    const learner = new RowLearner(this.model, yield* listen(rows));
    const [row, code] = [new Uint8Array(V), new Uint8Array(H)];
    yield* inPieces(rows.n, 1, (i) => {
      rows.read(i, row);
      codes.read(i, code);
      learner.row(KNOWN, code, row);
    });
    this.learner = learner;
    if (rows.n === LAST) this.past = undefined;
    else this.next = GROWTH * rows.n;
  }
}

/** For rows that both sides have: nothing is written or read. */
const KNOWN: BitCoder = { code: (bit) => bit };

const FIRST = 32;
/** Twice as many rows take half as long again and make files no smaller (docs/notes/packing.md). */
const GROWTH = 4;
const LAST = 8192;
/** Columns up to which all pairs are looked at. */
export const WIDEST = 4096;

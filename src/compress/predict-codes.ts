import type { BitCoder } from './bit-coder.ts';
import { LOGIT_UNIT } from './logistic.ts';
import { OnlineLogit } from './online-logit.ts';

/** Codes H bits at a time: each bit is predicted from the bits before it in the same code. */
export class CodePredictor {
  private readonly H: number;
  private readonly logit: OnlineLogit;
  private seen = 0;

  constructor(H: number) {
    this.H = H;
    this.logit = new OnlineLogit(H, H + 1, 11);
  }

  /** `code` holds 0 or 1 for each bit; reading fills it in. */
  row(coder: BitCoder, code: Uint8Array): void {
    const { inputs } = this.logit;
    inputs[0] = LOGIT_UNIT;
    for (let h = 0; h < this.H; h++) {
      code[h] = coder.code(code[h], this.logit.predict(h, h + 1));
      this.logit.update(code[h], this.seen, h + 1);
      inputs[h + 1] = code[h] ? LOGIT_UNIT : -LOGIT_UNIT;
    }
    this.seen++;
  }
}

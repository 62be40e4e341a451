import { sliceRows } from 'pc-ae/rows';
import { type Claim, nats } from './claim.ts';
import { loadSet } from './datasets.ts';
import { learn } from './learn.ts';
import { objectiveOf } from './objective.ts';

const [SET, H, TEST] = ['caltech101', 32, 500] as const;
/** An entry this close to -1 or 1 is held by the box. */
const HELD = 1 - 1e-6;

interface NullSpace {
  /** Share of the entries of codes that lie on a face of the box. */
  readonly held: number;
  /** Mean size of the entries of W^T r: of those inside the box, and of those on its faces. */
  readonly inside: number;
  readonly onFaces: number;
  /** Share of the rows whose residuals lie in the null space of W^T: those with every entry inside. */
  readonly rows: number;
}

/** App. A.2.1: residuals at optimal codes are orthogonal to the weights. */
export const nullSpace: Claim<NullSpace> = {
  says: 'At optimal codes each column of the residuals R* is in the null space of W^T.',
  where: 'App. A.2.1',
  async measure(folder, context) {
    const { train, test } = await loadSet(folder, SET);
    const rows = sliceRows(test, 0, Math.min(TEST, test.n));
    const model = await learn(train, { H, algorithm: 'paper', certify: false }, context);
    const codes = await model.transform(rows, { engine: context.engine, tolerance: 1e-5 });
    const G = new Float64Array(codes.length);
    objectiveOf(rows, H).ofCodes(Float64Array.from(model.W))(Float64Array.from(codes), G);
    const [inside, onFaces] = [
      { sum: 0, count: 0 },
      { sum: 0, count: 0 },
    ];
    let free = 0;
    for (let i = 0; i < rows.n; i++) {
      const e = codes.subarray(i * H, (i + 1) * H);
      if (e.every((one) => Math.abs(one) < HELD)) free++;
      for (let h = 0; h < H; h++) {
        const part = Math.abs(e[h]) < HELD ? inside : onFaces;
        // The objective is half of the mean over rows.
        part.sum += Math.abs(G[i * H + h]) * 2 * rows.n;
        part.count++;
      }
    }
    const mean = ({ sum, count }: { sum: number; count: number }) => (count > 0 ? sum / count : 0);
    return {
      held: onFaces.count / codes.length,
      ...{ inside: mean(inside), onFaces: mean(onFaces), rows: free / rows.n },
    };
  },
  found: ({ held, inside, onFaces, rows }) =>
    `Only where the box holds no entry of the code; on a face the gradient points outwards and is not 0. Caltech-101, H = ${H}, ` +
    `the paper's procedure, optimal codes of ${TEST} test rows: ${percent(held)} of the entries are on a face. An entry of W^T r ` +
    `has a mean size of ${nats(inside)} inside the box, which is what is left of the tolerance, and of ${nats(onFaces)} on its ` +
    `faces; ${percent(rows)} of the rows have all entries inside.`,
};

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

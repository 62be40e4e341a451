import { fitDecoder } from 'pc-ae';
import { sliceRows } from 'pc-ae/rows';
import { type Claim, lossAt, nats } from './claim.ts';
import { loadSet, SETS } from './datasets.ts';
import { keptOneLayer } from './one-layer.ts';
import { IN_TEXT, TABLE_ROWS } from './published.ts';

/** Rows that the decoder is learned from, and nats that it may be from the best one. */
const [TRAIN, TOLERANCE] = [10_000, 0.5];

interface Losses {
  /** Mean loss of the rows that the decoder was learned from, and of test rows. */
  readonly train: number;
  readonly test: number;
}

/** By the row of the table. */
type Decoders = Readonly<
  Record<
    string,
    {
      /** The autoencoder itself, learned from all rows but those held out. */
      readonly ae: Losses;
      readonly bias: Losses;
      readonly noBias: Losses;
      /** Codes brought from [0, 1] to [-1, 1], no bias unit. */
      readonly centred: Losses;
    }
  >
>;

/** Sec. 6: the optimal decoding layer (Thm. 1) on the codes of the autoencoder with logistic units. */
export const decodingLayer: Claim<Decoders> = {
  says:
    "The optimal decoding layer on an autoencoder's codes is much worse than the autoencoder: " +
    `${rowNames()
      .map((name) => `~${IN_TEXT.decodingLayer[name]} on ${title(name)}`)
      .join(', ')}.`,
  where: 'Sec. 6',
  async measure(folder, context) {
    const { engine } = context;
    const measured: Record<string, Decoders[string]> = {};
    for (const { name, set, H } of TABLE_ROWS.filter((row) => row.name in IN_TEXT.decodingLayer)) {
      const data = await loadSet(folder, set);
      const rows = sliceRows(data.held.train, 0, Math.min(data.held.train.n, TRAIN));
      const { autoencoder, loss } = await keptOneLayer(data, H, 'logistic', context);
      const codes = await autoencoder.encode(rows, { engine });
      const testCodes = await autoencoder.encode(data.test, { engine });
      const decoded = async (scaled: (e: number) => number, bias: boolean): Promise<Losses> => {
        context.onProgress?.(`the decoding layer, ${name}`, 0);
        const options = { bias, tolerance: TOLERANCE, engine };
        const { model, loss: train } = await fitDecoder(codes.map(scaled), rows, options);
        return { train, test: await lossAt(model, data.test, testCodes.map(scaled), context) };
      };
      measured[name] = {
        ae: { train: await autoencoder.loss(rows, { engine }), test: loss },
        bias: await decoded((e) => e, true),
        noBias: await decoded((e) => e, false),
        centred: await decoded((e) => 2 * e - 1, false),
      };
    }
    return measured;
  },
  found: (facts) =>
    `Not with a bias unit: on the rows that B was measured on it cannot be worse than the autoencoder, whose own decoder is ` +
    `one of those it is the best of. Logistic codes, decoders learned from ${TRAIN.toLocaleString('en')} rows (the autoencoder ` +
    `from all), loss of those rows / of test rows. ` +
    Object.entries(facts)
      .map(
        ([name, { ae, bias, noBias, centred }]) =>
          `${title(name)}: autoencoder ${pair(ae)}; optimal decoder ${pair(bias)}; without bias unit ${pair(noBias)}; ` +
          `without, on codes mapped to [-1, 1], ${pair(centred)}.`,
      )
      .join(' ') +
    ' More in docs/baselines.md.',
};

function rowNames() {
  return Object.keys(IN_TEXT.decodingLayer) as (keyof typeof IN_TEXT.decodingLayer)[];
}

function title(name: string): string {
  const row = TABLE_ROWS.find((each) => each.name === name);
  return row ? `${SETS[row.set].title}, H = ${row.H}` : name;
}

function pair({ train, test }: Losses): string {
  return `${nats(train)} / ${nats(test)}`;
}

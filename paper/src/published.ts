import type { SetName } from './datasets.ts';

/** A row of the table: a set and a number of hidden units. */
export interface TableRow {
  readonly name: string;
  readonly set: SetName;
  readonly H: number;
  readonly published: Published;
}

/** Test losses in nats, as the paper's Table 1 has them. */
interface Published {
  readonly pcae: { readonly box: number; readonly real: number };
  /** One-layer autoencoders: logistic units for binary codes, ReLU for real ones. */
  readonly ae: { readonly box: number; readonly real: number };
}

/** Table 1 of the paper: PC-AE (bin.), PC-AE (real), AE (bin.), AE (real). */
const TABLE1: readonly (readonly [SetName, number, number, number, number, number])[] = [
  ['mnist', 32, 51.9, 53.8, 65.2, 64.3],
  ['mnist', 100, 9.2, 9.9, 26.8, 25.0],
  ['omniglot', 32, 76.1, 77.2, 93.1, 90.6],
  ['omniglot', 100, 12.1, 13.2, 46.6, 45.4],
  ['caltech101', 32, 54.5, 54.9, 97.5, 87.6],
  ['caltech101', 100, 7.1, 7.1, 64.3, 45.4],
  ['notmnist', 32, 121.9, 122.4, 149.6, 141.8],
  ['notmnist', 100, 62.2, 63.0, 99.6, 92.1],
];

export const TABLE_ROWS: readonly TableRow[] = TABLE1.map(([set, H, box, real, aeBox, aeReal]) => ({
  name: `${set}-${H}`,
  set,
  H,
  published: { pcae: { box, real }, ae: { box: aeBox, real: aeReal } },
}));

/** Figures that the paper gives in its text. */
export const IN_TEXT = {
  /** Fig. 3: MNIST with H = 12. */
  mnist12: { pcae: 105.1, ae: 111.2 },
  /** Fig. 6: MNIST with two real hidden units. */
  mnist2: { pcae: 189, ae: 179 },
  /** Sec. 6: the worst-case optimal decoding layer on the codes of the autoencoder. */
  decodingLayer: { 'mnist-32': 171, 'mnist-100': 133, 'omniglot-32': 211, 'omniglot-100': 134 },
} as const;

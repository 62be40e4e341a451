import { hiddenUnitFigure, reconstructionFigure } from 'pc-ae/figures';
import { loadSet, type PaperData } from './datasets.ts';
import type { PaperFigure } from './figure.ts';
import { learn, type RunContext } from './learn.ts';
import { keptOneLayer } from './one-layer.ts';

/**
 * All hidden units of a small model (Fig. 3): what is decoded when one unit is on and the others are off. The
 * paper does not say whether off is 0 or -1; both are shown.
 */
export const unitsSmall: PaperFigure = {
  about: 'every hidden unit of PC-AE and AE, MNIST, H = 12: one on, the others off (0, and -1)',
  async draw(folder, context) {
    const data = await loadSet(folder, 'mnist');
    const H = 12;
    const variants = [
      ...(await pcaeUnits(data, H, 'paper-text', context)),
      ...(await pcaeUnits(data, H, 'fast', context)),
      ...(await autoencoderUnits(data, H, context)),
    ];
    const svg = reconstructionFigure({
      rows: variants.map(({ label, decoded }) => ({ label, values: decoded })),
      V: data.train.V,
      image: data.image,
      range: [-1, 1],
      captions: Array.from({ length: H }, (_, h) => `unit ${h + 1}`),
      width: 960,
      title: `MNIST, H = ${H}: one hidden unit on, the others off`,
      note: `paper-text: on is 1. fast: on is the largest code that a training row has. AE: logistic units, on is 1.`,
    });
    return { pictures: { 'units-mnist-12': svg }, facts: { H } };
  },
};

/** All hidden units of a large model (Fig. 5), each kind in a picture of its own. */
export const unitsLarge: PaperFigure = {
  about: 'every hidden unit of PC-AE and AE, Omniglot (rebuilt), H = 100: one on, the others off (0, and -1)',
  async draw(folder, context) {
    const data = await loadSet(folder, 'omniglot');
    const H = 100;
    const variants = [
      ...(await pcaeUnits(data, H, 'fast', context)),
      ...(await autoencoderUnits(data, H, context)),
    ];
    const pictures = variants.map(({ name, label, decoded }) => {
      const title = `Omniglot (rebuilt), H = ${H}: ${label}`;
      const note = name.startsWith('ae')
        ? 'One logistic unit on (1), the others off.'
        : 'One unit on, the others off; on is the largest code that a training row has.';
      const svg = hiddenUnitFigure({
        ...{ units: decoded, V: data.train.V, image: data.image, range: [-1, 1], title, note },
      });
      return [`units-omniglot-100-${name}`, svg] as const;
    });
    return { pictures: Object.fromEntries(pictures), facts: { H } };
  },
};

interface Variant {
  readonly name: string;
  readonly label: string;
  /** H x V. */
  readonly decoded: Float32Array;
}

async function pcaeUnits(
  { train }: PaperData,
  H: number,
  algorithm: 'fast' | 'paper-text',
  context: RunContext,
): Promise<Variant[]> {
  const { engine } = context;
  const model = await learn(train, { H, algorithm, certify: false }, context, `learning by ${algorithm}`);
  const codes = model.trainingCodes ?? new Float32Array();
  // The paper's procedure fills the box. `fast` leaves room in it, so that 1 is further than any code ever
  // is.
  const on = algorithm === 'paper-text' ? new Float64Array(H).fill(1) : largest(codes, H);
  const variant = async (name: string, off: number): Promise<Variant> => ({
    name: `pcae-off-${name}`,
    label: `PC-AE (${algorithm}), off = ${off === 0 ? '0' : algorithm === 'paper-text' ? '−1' : '−on'}`,
    decoded: await model.decode(oneOn(on, off), { engine }),
  });
  return [await variant('zero', 0), await variant('minus', -1)];
}

async function autoencoderUnits(data: PaperData, H: number, context: RunContext): Promise<Variant[]> {
  const { autoencoder } = await keptOneLayer(data, H, 'logistic', context);
  const decoded = await autoencoder.decode(oneOn(new Float64Array(H).fill(1), 0), { engine: context.engine });
  return [{ name: 'ae', label: 'AE, off = 0', decoded }];
}

/** H codes: unit h at on_h, every other unit k at off * on_k. */
function oneOn(on: Float64Array, off: number): Float32Array {
  const H = on.length;
  return Float32Array.from({ length: H * H }, (_, k) => on[k % H] * (Math.floor(k / H) === k % H ? 1 : off));
}

/** The largest |e_h| of each unit. */
function largest(codes: Float32Array, H: number): Float64Array {
  const most = new Float64Array(H);
  for (let k = 0; k < codes.length; k++) most[k % H] = Math.max(most[k % H], Math.abs(codes[k]));
  return most;
}

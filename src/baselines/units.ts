/**
 * The encoding units of a one-layer autoencoder: what a unit makes of its input a, and the slope that
 * back-propagation is given for it.
 */
interface Unit {
  /** Codes in the place of their inputs. */
  encode(inputs: Float32Array): void;
  /** Multiplies gradients in codes by the slope of each unit at its input. */
  back(gradients: Float32Array, inputs: Float32Array, codes: Float32Array): void;
}

export type Units = 'logistic' | 'relu' | 'sign';

/** Codes in (0, 1): what the paper calls the binary encoding of an autoencoder. */
const logistic: Unit = {
  encode(inputs) {
    for (let k = 0; k < inputs.length; k++) inputs[k] = 1 / (1 + Math.exp(-inputs[k]));
  },
  back(gradients, _inputs, codes) {
    for (let k = 0; k < gradients.length; k++) gradients[k] *= codes[k] * (1 - codes[k]);
  },
};

/** Codes in [0, infinity): the paper's real encoding. */
const relu: Unit = {
  encode(inputs) {
    for (let k = 0; k < inputs.length; k++) if (inputs[k] < 0) inputs[k] = 0;
  },
  back(gradients, inputs) {
    for (let k = 0; k < gradients.length; k++) if (!(inputs[k] > 0)) gradients[k] = 0;
  },
};

/**
 * True bits, -1 or 1. The sign has no slope to learn by; the straight-through estimator borrows that of
 * tanh(a / 2), up to a factor of 2 that Adam does not see. docs/baselines.md holds it against others.
 */
const sign: Unit = {
  encode(inputs) {
    for (let k = 0; k < inputs.length; k++) inputs[k] = inputs[k] > 0 ? 1 : -1;
  },
  back(gradients, inputs) {
    for (let k = 0; k < gradients.length; k++) {
      const t = Math.tanh(inputs[k] / 2);
      gradients[k] *= 1 - t * t;
    }
  },
};

export const units: Readonly<Record<Units, Unit>> = { logistic, relu, sign };

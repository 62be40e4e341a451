import { encodingOf } from '../encodings/by-name.ts';
import type { PCAE } from '../model/model.ts';
import type { Bytes } from '../rows/bytes.ts';
import { type Graph, GraphBuilder } from './graph.ts';
import { describeModel } from './metadata.ts';
import { writeOnnx } from './onnx.ts';

/**
 * The decoder of Thm. 1 as the bytes of an ONNX file: `codes` (n x H) in, `probabilities` of a one (n x V, in
 * [0, 1]) and `reconstructions` (n x V, in [-1, 1]) out.
 */
export function exportDecoder(model: PCAE): Bytes {
  return writeOnnx(decoderGraph(model), { ...describeModel(model), 'pc-ae.part': 'decoder' });
}

function decoderGraph(model: PCAE): Graph {
  const { V, H, restoring } = model;
  if (restoring && 'mask' in restoring) {
    throw new Error(
      'export: this model divides its reconstructions by the share of ones that its noise kept, which a graph cannot do; ' +
        'learn it with the clean rows instead',
    );
  }
  const decoding = { ...model, W: restoring?.W ?? model.W };
  const graph = new GraphBuilder();
  const W = graph.matrix('W', V, H, unitWeights(decoding));
  const bias = graph.matrix('bias', 1, V, biasWeights(decoding));
  const scores = graph.timesTranspose('codes', W, bias);
  return graph.finish(
    {
      name: 'decoder',
      about: 'Decoder of a pairwise-correlation autoencoder',
      inputs: [{ name: 'codes', columns: H, about: aboutCodes(model) }],
      outputs: [
        { name: 'probabilities', columns: V, about: 'probability of a one, 0 to 1' },
        { name: 'reconstructions', columns: V, about: 'reconstruction, -1 to 1' },
      ],
    },
    reconstruct(graph, scores, model.reconstructionLoss.name),
  );
}

/** What a code may be, in words. */
export function aboutCodes({ encoding, radius }: Pick<PCAE, 'encoding' | 'radius'>): string {
  return `codes ${encodingOf(encoding).words.about(radius)}`;
}

type Weights = Pick<PCAE, 'V' | 'H' | 'W' | 'bias'>;

/** The weights without the bias unit's column, V x H, times `scale`. */
export function unitWeights(model: Weights, scale = 1): Float32Array {
  const { V, H, W } = model;
  const width = W.length / V;
  return Float32Array.from({ length: V * H }, (_, k) => scale * W[Math.floor(k / H) * width + (k % H)]);
}

/** The bias unit's column, times `scale`; zeros without one. */
export function biasWeights(model: Weights, scale = 1): Float32Array {
  const { V, H, bias, W } = model;
  return Float32Array.from({ length: V }, (_, v) => (bias ? scale * W[v * (H + 1) + H] : 0));
}

/** Both outputs from the scores, by the loss's transfer function (App. D). */
function reconstruct(graph: GraphBuilder, scores: string, loss: string): Record<string, string> {
  const one = graph.number(1);
  if (loss === 'cross-entropy') {
    const probabilities = graph.apply('Sigmoid', [scores]);
    const reconstructions = graph.apply('Sub', [graph.apply('Mul', [probabilities, graph.number(2)]), one]);
    return { probabilities, reconstructions };
  }
  if (loss === 'squared' || loss === 'hamming') {
    const reconstructions = graph.clip(scores, -1, 1);
    const probabilities = graph.apply('Mul', [graph.apply('Add', [reconstructions, one]), graph.number(0.5)]);
    return { probabilities, reconstructions };
  }
  throw new Error(
    `export: the transfer function of loss '${loss}' has no closed form, so it cannot be written as ONNX; ` +
      'cross-entropy, squared and hamming can',
  );
}

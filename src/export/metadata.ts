import type { PCAE } from '../model/model.ts';

/** What a model is, as the texts that an ONNX file can carry (`metadata_props`). */
export function describeModel(model: PCAE): Record<string, string> {
  const { V, H, encoding, bias, radius, columns, image, training } = model;
  const { algorithm, n, loss, seed, ridge, l1 } = training;
  return {
    'pc-ae.V': `${V}`,
    'pc-ae.H': `${H}`,
    'pc-ae.encoding': encoding,
    'pc-ae.radius': `${radius}`,
    'pc-ae.bias': `${bias}`,
    'pc-ae.loss': model.reconstructionLoss.name,
    'pc-ae.training': JSON.stringify({ algorithm, n, loss, seed, ridge, l1 }),
    ...(columns && { 'pc-ae.columns': JSON.stringify(columns) }),
    ...(image && { 'pc-ae.image': JSON.stringify(image) }),
  };
}

import { describe, expect, test } from 'vitest';
import { readSafetensors, type Tensor, writeSafetensors } from '../../../src/formats/safetensors.ts';
import { fit } from '../../../src/model/fit.ts';
import { load } from '../../../src/model/load.ts';
import { PCAE } from '../../../src/model/model.ts';
import { FormatError } from '../../../src/rows/errors.ts';

const data = Uint8Array.from({ length: 20 * 6 }, (_, k) => (k * k + (k >> 3)) & 1);
const model = await fit({ data, n: 20, V: 6 }, { H: 2, epochs: 2 });

/** The file of the model with other metadata and tensors. */
function edited(metadata: object, tensors: Readonly<Record<string, Tensor>> = {}): Uint8Array {
  const file = readSafetensors(model.save());
  const about = { ...JSON.parse(file.metadata['pc-ae']), ...metadata };
  const replaced = new Set(Object.keys(tensors).map((key) => key.split('.')[0]));
  const kept = [...file.tensors].filter(([key]) => !replaced.has(key));
  return writeSafetensors([...kept, ...Object.entries(tensors)], { 'pc-ae': JSON.stringify(about) });
}

/** A matrix of 6 rows of nothing, which stands for as many columns as one likes. */
const nothing = (key: string): Record<string, Tensor> => ({
  [`${key}.values`]: { type: 'F32', shape: [0], data: new Float32Array(0) },
  [`${key}.columns`]: { type: 'U32', shape: [0], data: new Uint32Array(0) },
  [`${key}.starts`]: { type: 'U32', shape: [7], data: new Uint32Array(7) },
});

describe('a model file is refused with its name', () => {
  const loading = (bytes: Uint8Array) => () => load(bytes, { as: PCAE, name: 'a.safetensors' });

  test('where it claims more units than could have been learned, however small it is', () => {
    const small = edited({ H: 10 ** 6 }, { ...nothing('W'), ...nothing('B') });
    expect(small.length).toBeLessThan(4000);
    expect(loading(small)).toThrow(FormatError);
    expect(loading(small)).toThrow('a.safetensors, metadata, H: claims 1000000 units');
  });

  test('where it names a loss that is not known', () => {
    expect(loading(edited({ loss: 'unheard of' }))).toThrow(FormatError);
    expect(loading(edited({ loss: 'unheard of' }))).toThrow('a.safetensors, metadata, loss: unknown loss');
    const nested = `${'cost-weighted('.repeat(20_000)}`;
    expect(loading(edited({ loss: nested }))).toThrow(FormatError);
  });
});

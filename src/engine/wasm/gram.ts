import type { Floats } from '../engine.ts';
import { constants } from './layout.generated.ts';
import type { WasmFloats } from './storage.ts';
import { SLOTS } from './sums.ts';
import type { Tools } from './tools.ts';

/** `Engine.gram`. */
export async function gram(
  tools: Tools,
  A: Floats,
  count: number,
  width: number,
  weights?: Floats,
): Promise<Float64Array> {
  tools.use(A, 'the numbers of A', count * width);
  const rowWeights = tools.optional(weights, 'weights', count);
  const slots = Math.max(1, Math.min(SLOTS, Math.ceil(count / 256)));
  const fours = Math.ceil(width / 4);
  const eights = Math.ceil(width / 8);
  const slotSize = fours * eights * 32;
  const partial = tools.memory.allocate(8 * slots * slotSize, 'sums of products');
  try {
    await tools.pool.run(
      [
        { kernel: constants.GRAM, slots, slotSize, partial },
        { A: (A as WasmFloats).at, rows: count, width, rowWeights },
      ],
      (count * width * width) / 2,
      slots,
    );
    const sums = tools.memory.doubles(partial, slots * slotSize);
    const out = new Float64Array(width * width);
    for (let i = 0; i < width; i++) {
      for (let j = i; j < width; j++) {
        const tile = (i >> 2) * eights + (j >> 3);
        let sum = 0;
        for (let s = 0; s < slots; s++) sum += sums[s * slotSize + tile * 32 + (i & 3) * 8 + (j & 7)];
        out[i * width + j] = sum;
        out[j * width + i] = sum;
      }
    }
    return out;
  } finally {
    tools.memory.free(partial);
  }
}

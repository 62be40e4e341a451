import { describe, expect, test } from 'vitest';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import { makeCase } from './case.ts';
import { open } from './open.ts';
import { allSeeds } from './seeds/index.ts';

const engine = await createWasmEngine();
const seeds = await allSeeds(engine);

/** A short run of `npm run fuzz`, without its watch on memory and time. */
describe('damaged files of every format', () => {
  test('are made of files that are good', async () => {
    // Some tables in text are for readers who say what they are.
    for (const { format, name, parts, build } of seeds.filter((seed) => !/csv|jsonl/.test(seed.format))) {
      const outcome = await open({ format, name, bytes: build(parts), changes: [], choice: 0 }, engine);
      expect(outcome, `${format} ${name}`).toEqual({ kind: 'read' });
    }
  });

  test('are the same for the same seed', () => {
    for (let index = 0; index < 50; index++)
      expect(makeCase(seeds, 3, index)).toEqual(makeCase(seeds, 3, index));
  });

  const formats = new Set(seeds.map(({ format }) => format));

  test.each([...formats])('%s: read, or refused in words', async (format) => {
    const ours = seeds.filter((seed) => seed.format === format);
    // HDF5 files are read in a thread of their own, which takes a tenth of a second to start.
    const count = format === 'h5' ? 40 : 120;
    for (let index = 0; index < count; index++) {
      const given = makeCase(ours, 20_160_611, index);
      const { kind, message } = await open(given, engine);
      expect(kind, `case ${index}, ${given.name}: ${given.changes.join('; ')}: ${message}`).not.toBe(
        'finding',
      );
    }
  });
});

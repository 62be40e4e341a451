import type { Engine } from '../../../src/engine/engine.ts';
import { tableSeeds } from './containers.ts';
import { fileSeeds } from './files.ts';
import { modelSeeds } from './models.ts';
import type { Seed } from './seed.ts';

/** Valid files of every format, or of one. */
export async function allSeeds(engine: Engine, format?: string): Promise<Seed[]> {
  const all = [...tableSeeds, ...(await fileSeeds()), ...(await modelSeeds(engine))];
  const chosen = all.filter((seed) => format === undefined || seed.format === format);
  if (chosen.length > 0) return chosen;
  throw new RangeError(`no seeds of the format ${format}; known are ${new Set(all.map((s) => s.format))}`);
}

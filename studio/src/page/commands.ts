import type { DataFacts, FindHow } from '../work/desk/calls.ts';
import type { LearnSettings } from '../work/run/calls.ts';

/** The lines of `pcae` that do what the page does. */

/** A word as a shell takes it for one. */
export function shellWord(text: string): string {
  return /^[\w.,:=/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export interface Told {
  readonly data?: DataFacts;
  readonly settings?: LearnSettings;
}

const MODEL = 'model.safetensors';

/** The file of the rows; generated ones have none until they are saved. */
function file({ data }: Told): string {
  if (!data) return 'rows.csv';
  return data.format === 'generated' ? 'generated-digits.rows.csv' : shellWord(data.name);
}

/** The file of the rows, and what was said about how it is read. */
export function rowsOf(told: Told): string {
  return [file(told), told.data?.flags].filter(Boolean).join(' ');
}

/** Filled in, a table of words is one again; others hold probabilities. */
export function fillOf(told: Told): string {
  const words = told.data?.groups || told.data?.schema?.words;
  return `pcae reconstruct ${MODEL} ${rowsOf(told)} --fill${words ? ' --as words' : ''} -o filled.csv`;
}

export const lines = {
  data: (told: Told) => `pcae info ${rowsOf(told)}`,
  learn(told: Told): string {
    const { settings } = told;
    // A model that was opened from a file: how it was learned is not known here.
    if (!settings) return '';
    const { H, encoding, loss, validation, calibrate, ridge, epochs, time, seed, engine } = settings;
    return [
      `pcae train ${rowsOf(told)} -H ${H}`,
      encoding !== 'box' && `--encoding ${encoding}`,
      loss !== 'cross-entropy' && `--loss ${loss}`,
      validation > 0 && `--validation ${validation}`,
      calibrate > 0 && `--calibrate ${calibrate}`,
      ridge !== undefined && `--ridge ${ridge}`,
      epochs !== undefined && `--epochs ${epochs}`,
      time !== undefined && `--time ${time}`,
      seed !== 1 && `--seed ${seed}`,
      engine !== 'auto' && `--engine ${engine}`,
      `-o ${MODEL}`,
    ]
      .filter(Boolean)
      .join(' ');
  },
  look: (told: Told) => `pcae eval ${MODEL} ${rowsOf(told)}`,
  units: () => `pcae inspect ${MODEL} --features 6`,
  map: (told: Told) => `pcae encode ${MODEL} ${rowsOf(told)} -o codes.csv`,
  play: fillOf,
  find(told: Told, how: FindHow): string {
    const rows = rowsOf(told);
    if (how === 'likelihood')
      return `pcae index rows.index --from ${file(told)} --model ${MODEL} && pcae search rows.index ${file(told)}`;
    if (how === 'hamming')
      return `pcae encode ${MODEL} ${rows} -o codes.npy && pcae search codes.npy codes.npy`;
    return `pcae encode ${MODEL} ${rows} -o codes.csv`;
  },
};

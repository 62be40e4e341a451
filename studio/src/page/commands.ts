import type { DataFacts, FindHow } from '../work/desk/calls.ts';
import type { LearnSettings } from '../work/run/calls.ts';

/** The lines of `pcae` that do what the page does. */

/** A word as a shell takes it for one. */
export function shellWord(text: string): string {
  return /^[\w.,:=/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export interface Told {
  readonly data?: DataFacts;
  /** Whether somebody declared how the rows are read. */
  readonly declared: boolean;
  readonly settings?: LearnSettings;
}

const MODEL = 'model.safetensors';

/** The file of the rows, and how it is read; generated ones have none until they are saved. */
export function rowsOf({ data, declared }: Told): string {
  if (!data) return 'rows.csv';
  if (data.format === 'generated') return 'generated-digits.rows.csv';
  return [shellWord(data.name), declared && data.flags].filter(Boolean).join(' ');
}

export const lines = {
  data: (told: Told) => `pcae info ${rowsOf(told)}`,
  learn(told: Told): string {
    const { settings } = told;
    if (!settings) return `pcae train ${rowsOf(told)} -H 16 -o ${MODEL}`;
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
  play: (told: Told) => `pcae reconstruct ${MODEL} ${rowsOf(told)} --fill -o filled.csv`,
  find(told: Told, how: FindHow): string {
    const rows = rowsOf(told);
    if (how === 'likelihood')
      return `pcae index rows.index --from ${rows} --model ${MODEL} && pcae search rows.index ${rows}`;
    if (how === 'hamming')
      return `pcae encode ${MODEL} ${rows} -o codes.npy && pcae search codes.npy codes.npy`;
    return `pcae encode ${MODEL} ${rows} -o codes.csv`;
  },
};

import { type Command, InvalidArgumentError } from 'commander';
import type { OpenedSource } from '../formats/options.ts';
import type { FitOptions } from '../training/options.ts';
import { UsageError } from './errors.ts';
import { notNegative, whole } from './parse.ts';
import { readMask, readWeights } from './weights.ts';

/** The values of the options of `addChosenOptions`. */
export interface ChosenOptions {
  readonly l1File?: string;
  readonly chosen?: string;
  readonly local?: Patch;
  readonly keepStrongest?: number;
}

interface Patch {
  readonly patch: readonly [height: number, width: number];
  readonly stride?: number;
}

/** Adds the options for which correlations are used, and how far each column's are trusted. */
export function addChosenOptions(command: Command): Command {
  return command
    .option(
      '--l1 <x>',
      'how far correlations may be off (eps): larger values give sparser weights',
      notNegative,
      0,
    )
    .option(
      '--l1-file <file>',
      'instead of --l1: how far the correlations of each column may be off, one number per column',
    )
    .option(
      '--chosen <file>',
      'which correlations to use: a table of 0 and 1 with one row per column of the data and one column ' +
        'per unit',
    )
    .option(
      '--local <patch>',
      'for pictures: each unit sees one patch, as in 10, 8x12 or 10/6 (stride 6)',
      parsePatch,
    )
    .option(
      '--keep-strongest <k>',
      'learn, then learn again with only the k strongest units of each column',
      whole(1),
    );
}

/** The same for the library. */
export async function chosenCorrelations(
  options: ChosenOptions,
  source: OpenedSource,
  H: number,
): Promise<Pick<FitOptions, 'l1' | 'chosen'>> {
  const { l1File, chosen, local, keepStrongest } = options;
  if (keepStrongest !== undefined && keepStrongest > H) {
    throw new UsageError(`--keep-strongest ${keepStrongest} is more than the ${H} units of the model`);
  }
  return {
    ...(l1File === undefined ? {} : { l1: await readWeights(l1File, source.V, 'column') }),
    ...(chosen === undefined ? {} : { chosen: await readMask(chosen, source.V, H) }),
    ...(local === undefined ? {} : { chosen: await patches(local, source, H) }),
  };
}

async function patches(local: Patch, source: OpenedSource, H: number): Promise<Uint8Array> {
  const { image } = source;
  if (!image) throw new UsageError(`--local needs pictures, but ${source.name} holds rows without a shape`);
  const { localMask } = await import('../model/masks.ts');
  return localMask({ image, H, ...local });
}

function parsePatch(text: string): Patch {
  const found = /^(\d+)(?:x(\d+))?(?:\/(\d+))?$/.exec(text.trim());
  const numbers = found?.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
  if (!numbers || numbers.some((value) => value === 0)) {
    throw new InvalidArgumentError('Expected a size in pixels as in 10 or 8x12, and a stride as in 10/6.');
  }
  const [height, width, stride] = numbers;
  return { patch: [height!, width ?? height!], stride };
}

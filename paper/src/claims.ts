import type { Claim } from './claim.ts';
import { bound } from './claim-bound.ts';
import { binaryReal } from './claim-codes.ts';
import { decodingLayer } from './claim-decoding-layer.ts';
import { fewUnits } from './claim-few-units.ts';
import { grey } from './claim-grey.ts';
import { zeroMeanNoise } from './claim-noise.ts';
import { notBits } from './claim-not-bits.ts';
import { nullSpace } from './claim-null-space.ts';
import { optimiser } from './claim-optimiser.ts';

/**
 * Every claim by the name that the command line calls it. Each knows the shape of its facts; the list need
 * not.
 */
export const CLAIMS = {
  binaryReal,
  notBits,
  grey,
  optimiser,
  nullSpace,
  bound,
  decodingLayer,
  zeroMeanNoise,
  fewUnits,
} as Readonly<Record<string, Claim>>;

export const CLAIM_NAMES = Object.keys(CLAIMS);

/** The table of claims in Markdown, from the facts that were measured. */
export function claimsMarkdown(measured: Readonly<Record<string, unknown>>): string {
  const lines = CLAIM_NAMES.map((name) => {
    const claim = CLAIMS[name];
    const record = measured[name] as { facts: unknown } | undefined;
    return `| ${claim.says} | ${claim.where} | ${record ? claim.found(record.facts) : 'not run'} |\n`;
  });
  return `| the paper | where | measured |\n|---|---|---|\n${lines.join('')}`;
}

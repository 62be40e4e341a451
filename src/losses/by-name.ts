import { costWeighted } from './cost-weighted.ts';
import { crossEntropy } from './cross-entropy.ts';
import { hamming } from './hamming.ts';
import type { Loss } from './loss.ts';
import { squared } from './squared.ts';

const builtIn: readonly Loss[] = [crossEntropy, hamming, squared];
const WEIGHTED = /^cost-weighted\((.+), falseOne=([^,()]+), falseZero=([^,()]+)\)$/;
const SHORT = /^cost:([^,:]+),([^,:]+)$/;

/**
 * The loss that a model file names. Losses made by the user cannot be stored in a file: give them in `own`.
 * Cost-weighted losses are rebuilt from their name, whatever they wrap; "cost:A,B" is short for cross-entropy
 * with false ones at A times and false zeros at B times the price.
 */
export function lossByName(name: string, own: readonly Loss[] = []): Loss {
  const known = [...own, ...builtIn];
  const found = known.find((loss) => loss.name === name);
  if (found) return found;
  const weighted = WEIGHTED.exec(name);
  if (weighted) {
    return costWeighted(lossByName(weighted[1], own), {
      falseOne: Number(weighted[2]),
      falseZero: Number(weighted[3]),
    });
  }
  const short = SHORT.exec(name);
  if (short) {
    return costWeighted(crossEntropy, { falseOne: Number(short[1]), falseZero: Number(short[2]) });
  }
  throw new Error(
    `unknown loss "${name}"; known are ${known.map((loss) => `"${loss.name}"`).join(', ')} and ` +
      `"cost-weighted(NAME, falseOne=A, falseZero=B)" or, for cross-entropy, "cost:A,B"`,
  );
}

/** Whether a name in a model file means a built-in loss rather than a user's own. */
export function isBuiltInName(name: string): boolean {
  return builtIn.some((loss) => loss.name === name) || WEIGHTED.test(name) || SHORT.test(name);
}

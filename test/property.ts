/**
 * The one way in which property tests run. `npm test` draws the cases of a fixed seed, so that it never fails
 * by chance. `npm run test:random` draws new ones: it names a seed, and each property is then tested over and
 * over, with that seed, the next one and so on, for a number of seconds. The seed of a failure repeats it.
 */

import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';

export interface PropertySettings<T> extends fc.Parameters<T> {
  /** The cases that `npm test` draws. */
  seed: number;
}

interface Random {
  seed: number;
  seconds: number;
  /** A file that is told how many cases held, and how failures are repeated. */
  log?: string;
}

export function holds<T>(property: fc.IProperty<T>, settings: PropertySettings<NoInfer<T>>): void;
export function holds<T>(
  property: fc.IAsyncProperty<T>,
  settings: PropertySettings<NoInfer<T>>,
): Promise<void>;
export function holds<T>(
  property: fc.IRawProperty<T>,
  settings: PropertySettings<T>,
  random: Random | undefined = fromEnvironment(process.env),
): Promise<void> | void {
  if (!random) return fc.assert(property as fc.IProperty<T>, settings as fc.Parameters<T>);
  return property.isAsync()
    ? overAndOverAsync(property as fc.IAsyncProperty<T>, settings, random)
    : overAndOver(property as fc.IProperty<T>, settings, random);
}

/** The seed and the seconds that scripts/test-random.mjs asks of each property; nothing in `npm test`. */
export function fromEnvironment(env: NodeJS.ProcessEnv): Random | undefined {
  const { PROPERTY_SEED: seed, PROPERTY_SECONDS: seconds = '0', PROPERTY_LOG: log } = env;
  return seed === undefined ? undefined : { seed: Number(seed), seconds: Number(seconds), log };
}

function overAndOver<T>(property: fc.IProperty<T>, settings: PropertySettings<T>, random: Random): void {
  for (const seed of seeds(random))
    judge(fc.check(property, { ...settings, seed } as fc.Parameters<T>), random);
}

async function overAndOverAsync<T>(
  property: fc.IAsyncProperty<T>,
  settings: PropertySettings<T>,
  random: Random,
): Promise<void> {
  for (const seed of seeds(random)) {
    judge(await fc.check(property, { ...settings, seed } as fc.Parameters<T>), random);
  }
}

function* seeds({ seed, seconds }: Random): Generator<number> {
  const end = performance.now() + 1000 * seconds;
  do yield seed++;
  while (performance.now() < end);
}

function judge<T>(details: fc.RunDetails<T>, { log }: Random): void {
  const tell = (entry: object) => log && appendFileSync(log, `${JSON.stringify(entry)}\n`);
  if (!details.failed) {
    tell({ cases: details.numRuns });
    return;
  }
  const { testPath = '', currentTestName = '' } = expect.getState();
  // The name as a regular expression, which is what -t takes.
  const pattern = currentTestName.replaceAll(' > ', ' ').replace(/[.*+?^${}()|[\]\\'"`]/g, '.');
  const repeat = `PROPERTY_SEED=${details.seed} npx vitest run ${relative('.', testPath)} -t ${JSON.stringify(pattern)}`;
  const message = `${fc.defaultReportMessage(details)}\nRepeat it with: ${repeat}`;
  tell({ cases: details.numRuns, repeat, message });
  throw new Error(message, { cause: details.errorInstance });
}

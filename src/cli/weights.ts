import { refuseFirst } from './refuse-first.ts';

/** One number for each of `count` rows or columns, as in a text with one number per line. */
export async function readWeights(
  path: string,
  count: number,
  what: 'row' | 'column',
): Promise<Float32Array> {
  const { readCodes } = await import('./codes.ts');
  const { numbers } = await readCodes(path, count, `${what}s`, 1);
  refuseFirst(path, numbers, 1, (weight) => weight < 0, 'a weight of at least 0');
  return numbers;
}

/** Which correlations are used: 0 or 1 for each of V columns, in rows, and H units. */
export async function readMask(path: string, V: number, H: number): Promise<Uint8Array> {
  const { readCodes } = await import('./codes.ts');
  const { numbers } = await readCodes(path, V, 'columns', H);
  refuseFirst(path, numbers, H, (x) => x !== 0 && x !== 1, '0 or 1');
  return Uint8Array.from(numbers);
}

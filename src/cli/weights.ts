import { FormatError } from '../rows/errors.ts';

/** One number for each of `count` rows or columns, from an NPY file or a text with one number a line. */
export async function readWeights(
  path: string,
  count: number,
  what: 'row' | 'column',
): Promise<Float32Array> {
  const { openCodes } = await import('./codes.ts');
  const source = await openCodes(path, 1);
  if (source.n !== count) {
    throw new FormatError(
      path,
      '',
      `holds ${source.n} weights, expected one for each of the ${count} ${what}s`,
    );
  }
  const weights = new Float32Array(count);
  let at = 0;
  for await (const part of source.chunks(65_536)) {
    weights.set(part, at);
    at += part.length;
  }
  const wrong = weights.findIndex((weight) => weight < 0);
  if (wrong >= 0)
    throw new FormatError(
      path,
      `row ${wrong + 1}`,
      `found ${weights[wrong]}, expected a weight of at least 0`,
    );
  return weights;
}

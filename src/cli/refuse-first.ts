import { FormatError } from '../rows/errors.ts';

/** Refuses wrong numbers of a file and shows the first; `width` per row, from row number `firstRow` on. */
export function refuseFirst(
  path: string,
  numbers: Float32Array,
  width: number,
  isWrong: (x: number) => boolean,
  expected: string,
  firstRow = 0,
): void {
  const k = numbers.findIndex(isWrong);
  if (k < 0) return;
  const place = `row ${firstRow + Math.floor(k / width) + 1}, column ${(k % width) + 1}`;
  throw new FormatError(path, place, `found ${numbers[k]}, expected ${expected}`);
}

/** The same for numbers that are missing. */
export function refuseMissing(path: string, numbers: Float32Array, width: number, firstRow = 0): void {
  refuseFirst(path, numbers, width, Number.isNaN, 'a number, none missing', firstRow);
}

/**
 * The codes that `decode` is given, from any array of numbers. JSON writes NaN as null, so null is read as
 * NaN.
 */
export function codesOf(given: ArrayLike<number>): Float32Array {
  if (given instanceof Float32Array) return given;
  if (typeof given?.length !== 'number')
    throw new TypeError(
      'decode: expected codes as one array of n x H numbers, such as (await model.encode(rows)).codes',
    );
  return Float32Array.from(given, (e: unknown, k) => {
    if (typeof e === 'number' || e === null) return (e as number) ?? Number.NaN;
    const found = Array.isArray(e) ? 'an array' : String(e);
    throw new TypeError(`decode: expected codes as one array of n x H numbers, found ${found} at ${k}`);
  });
}

/** Refuses codes whose length is no multiple of H, or that hold numbers that are not finite. */
export function checkCodes(codes: ArrayLike<number>, H: number, call: string): void {
  if (codes.length === 0 || codes.length % H !== 0) {
    throw new RangeError(`${call}: expected n x H = n x ${H} numbers, got ${codes.length}`);
  }
  for (let k = 0; k < codes.length; k++) {
    if (Number.isFinite(codes[k])) continue;
    const place = `row ${Math.floor(k / H)}, unit ${k % H}`;
    throw new RangeError(`${call}: codes must be finite, found ${codes[k]} in ${place}`);
  }
}

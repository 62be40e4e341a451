/** Codes as people hand them over, n x H: whole ones, of finite numbers. */
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

/** An upper bound for a reader: about four digits, rounded up. */
export function amount(value: number): string {
  const digits = value >= 100 ? 1 : value >= 10 ? 2 : 3;
  const scale = 10 ** digits;
  return (Math.ceil(value * scale - 1e-9) / scale).toFixed(digits);
}

/** A share in percent, with no more digits than it has. */
export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(6))}%`;
}

/** A number of rows. */
export function count(n: number): string {
  return n.toLocaleString('en');
}

/** A number with its noun: 1 row, 2 rows, 3 entries. */
export function counted(n: number | bigint, name: string): string {
  return `${n} ${Number(n) === 1 ? name : name.replace(/y$/, 'ie')}${Number(n) === 1 ? '' : 's'}`;
}

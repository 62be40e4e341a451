/** Numbers as people read them. */

export function count(n: number): string {
  return n.toLocaleString('en');
}

/** "1 row", "2,000 rows". */
export function many(n: number, thing: string): string {
  return `${count(n)} ${thing}${n === 1 ? '' : 's'}`;
}

/** A row by its own name, or by its number. */
export function rowCalled(name: string | number, named: boolean): string {
  return named ? String(name) : `row ${name}`;
}

/** What has columns, perhaps with names: a set, or a model. */
interface Columned {
  readonly V: number;
  readonly columns?: readonly string[];
}

/** A column by its own name, or by its number where it has none. */
export function columnCalled(of: Columned | undefined, v: number): string {
  return of?.columns?.[v] || `column ${v}`;
}

/** The columns whose names hold what somebody looks for, whatever the case of its letters. */
export function columnsWith(wanted: string, of: Columned): number[] {
  const all = Array.from({ length: of.V }, (_, v) => v);
  return all.filter((v) => columnCalled(of, v).toLowerCase().includes(wanted.toLowerCase()));
}

/** Three digits that matter. */
export function short(x: number | undefined): string {
  if (x === undefined || Number.isNaN(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const minus = x < 0 ? '−' : '';
  if (size >= 1e5 || size < 1e-3) return minus + size.toExponential(1).replace('e+', 'e').replace('e-', 'e−');
  if (size >= 100) return minus + count(Math.round(size));
  return minus + Number(size.toPrecision(3));
}

export function percent(x: number): string {
  const parts = 100 * x;
  if (parts > 0 && parts < 0.1) return '<0.1%';
  if (parts < 100 && parts > 99.9) return '>99.9%';
  if (parts > 99 && parts < 100) return `${Number(parts.toFixed(1))}%`;
  return `${parts > 0 && parts < 1 ? Number(parts.toPrecision(1)) : Math.round(parts)}%`;
}

export function time(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  return size < 1e6 ? `${Math.round(size / 1000)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}

/** `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Examples at the end of a command's help. */
export function examples(lines: readonly (readonly [line: string, what: string])[]): string {
  return [
    '\nExamples:',
    ...lines.flatMap(([line, what]) => [`  # ${what}`, `  $ npm run paper -- ${line}`]),
  ].join('\n');
}
